"""What makes a drawn input keep to the rules between fields (docs/contract.md): one function per profile."""

from collections.abc import Callable

from hypothesis import strategies as st

from tests.unit.catalog.sketch import URLS, WORDS, Sketch


def img_b(sketch: Sketch) -> None:
    if sketch.chosen("size") in ("1:3", "3:1"):
        sketch.set("resolution", "2k", "4k")
    if sketch.has("outputCompression"):
        sketch.set("outputFormat", "jpeg", "webp")
    is_any_size = sketch.chosen("size") == "auto" and sketch.chosen("resolution") != "1k"
    if sketch.has("urls") or is_any_size:
        sketch.drop("quality", "moderation", "outputFormat", "outputCompression")


def img_f(sketch: Sketch) -> None:
    if not sketch.has("urls"):
        sketch.need("size")


def img_g(sketch: Sketch) -> None:
    if sketch.has("width", "height"):
        sketch.need("width", "height")


def shape(sketch: Sketch) -> None:
    if sketch.has("imageUrls"):
        sketch.drop("prompt")
    else:
        sketch.need("prompt")
    if sketch.source.get("pbr"):
        sketch.drop("texture")


def vid_c(sketch: Sketch) -> None:
    if not sketch.knows("generationType"):
        return
    if not sketch.has("urls"):
        sketch.drop("generationType")
    if sketch.chosen("generationType") == "frame":
        sketch.most("urls", 2)


def frames(sketch: Sketch, *other_roles: str) -> None:
    """Return images with roles: frames at most once each, a last one only with a first."""
    if sketch.has("imageWithRoles"):
        roles = sketch.pick(
            ["first_frame"],
            ["first_frame", "last_frame"],
            ["last_frame", "first_frame"],
            list(other_roles * 3),
        ) or ["first_frame"]
        sketch.source["imageWithRoles"] = [{"url": sketch.draw(URLS), "role": role} for role in roles]


def vid_d(sketch: Sketch) -> None:
    frames(sketch)
    if sketch.has("imageWithRoles"):
        sketch.drop("imageUrls", "videoUrls", "audioUrls")
    if not sketch.has("imageUrls", "videoUrls"):
        sketch.drop("audioUrls")
    if not sketch.has("imageUrls", "videoUrls", "imageWithRoles"):
        sketch.need("prompt")


def vid_e(sketch: Sketch) -> None:
    frames(sketch, "reference_image")
    sketch.most("imageUrls", 27)
    references = ("imageUrls", "videoUrls", "audioUrls")
    if any(image["role"] != "reference_image" for image in sketch.source.get("imageWithRoles", [])):
        sketch.drop(*sketch.pick(references, ("imageWithRoles",)))
    if sketch.chosen("omniReferenceTaskType") == "extend":
        sketch.need("videoUrls")
        sketch.drop("imageWithRoles")
    if sketch.has("imageWithRoles") or sketch.chosen("omniReferenceTaskType") == "extend":
        sketch.drop("size")


def vid_f(sketch: Sketch) -> None:
    frames(sketch)
    if sketch.has("imageWithRoles"):
        sketch.drop("imageUrls")
    if not sketch.has("imageUrls", "imageWithRoles"):
        sketch.need("prompt")


def vid_h(sketch: Sketch) -> None:
    sketch.keep([("imageUrls",), ("referenceImageUrls", "referenceVideoUrls")])
    if sketch.has("referenceVideoUrls"):
        sketch.most("referenceImageUrls", 5)


def vid_i(sketch: Sketch) -> None:
    sketch.keep([("imageUrls",), ("videoUrl",)])
    if sketch.chosen("draft"):
        sketch.drop("resolution")


L_MEDIA = (
    "imageUrls",
    "elements",
    "startImageIndex",
    "startFrameUrl",
    "keyframeUrls",
    "endFrameUrl",
    "videoUrl",
)


def vid_l(sketch: Sketch) -> None:
    if not sketch.knows("videoMode"):
        sketch.need("prompt")
        return
    fields = {
        None: (),
        "elements": ("imageUrls", "elements", "startImageIndex"),
        "start_end_frame": ("startFrameUrl", "keyframeUrls", "endFrameUrl"),
        "transform": ("imageUrls", "elements", "startImageIndex", "videoUrl"),
        "video_reference": ("imageUrls", "elements", "startImageIndex", "videoUrl"),
    }[sketch.source.get("videoMode")]
    sketch.drop(*(name for name in L_MEDIA if name not in fields))
    _elements(sketch)
    if sketch.source.get("videoMode") == "elements" and not sketch.has("elements"):
        sketch.need("imageUrls")
    if sketch.source.get("videoMode") == "start_end_frame":
        sketch.need("startFrameUrl")
    if "videoUrl" in fields:
        sketch.need("videoUrl")
        sketch.drop("aspectRatio")
    if not sketch.has("imageUrls"):
        sketch.drop("startImageIndex")
    elif "startImageIndex" in sketch.source:
        sketch.set("startImageIndex", len(sketch.source["imageUrls"]))
    _scenes(sketch)


def _elements(sketch: Sketch) -> None:
    images = {"type": "image", "imageUrls": [sketch.draw(URLS)]}
    video = {"type": "video", "videoUrl": sketch.draw(URLS), "description": sketch.draw(WORDS)}
    if sketch.has("elements"):
        films = ([video] * 3, [images, video, {"videoUrl": "http://a.b"}])
        beside_a_source = sketch.source.get("videoMode") in ("transform", "video_reference")
        sketch.source["elements"] = sketch.pick([images], *(() if beside_a_source else films))


def _scenes(sketch: Sketch) -> None:
    is_mode = sketch.source.get("videoMode") in (None, "elements")
    if not (is_mode and sketch.knows("multiShots") and sketch.draw(st.booleans())):
        sketch.drop("multiShots")
        sketch.need("prompt")
        return
    sketch.drop("prompt")
    lengths = sketch.pick([1, 2], [15, 15], [1, 1, 1, 1, 1, 1])
    sketch.source["multiShots"] = [{"prompt": sketch.draw(WORDS), "duration": length} for length in lengths]


def vid_m(sketch: Sketch) -> None:
    if sketch.chosen("resolution") == "1080p" and sketch.chosen("duration") > 10:
        sketch.set("duration", 10)


def vid_n(sketch: Sketch) -> None:
    transition = ("firstFrameImage", "lastFrameImage")
    kept = sketch.keep([("imageUrls",), transition, ("imgReferences",), ("extendFromTaskId",)])
    if sketch.has(*transition):
        sketch.need(*transition)
        sketch.set("duration", 5, 8)
    if kept != ("imageUrls",) and sketch.has(*kept):
        sketch.drop("generateMultiClipSwitch")


def vid_o(sketch: Sketch) -> None:
    if sketch.has("continueVideoUrl"):
        sketch.drop("imageUrls", "audioUrl")
    if sketch.knows("continueVideoUrl") and not sketch.has("continueVideoUrl"):
        sketch.need("imageUrls")
    if sketch.knows("referenceVideoUrls") and not sketch.has("referenceVideoUrls"):
        sketch.need("referenceImageUrls")


def vid_p(sketch: Sketch) -> None:
    sketch.keep([("fileUrl",), ("linkUrl",)])
    kept = sketch.keep([("imageWithRoles",), ("imageUrls", "videoUrls")])
    if kept == ("imageWithRoles",):
        frames(sketch)
        sketch.drop("generationType")
        if sketch.has("imageWithRoles"):
            sketch.set("generationType", "frame")
    elif sketch.has("imageUrls", "videoUrls"):
        sketch.set("generationType", "reference")
    if not sketch.has("imageUrls", "imageWithRoles", "videoUrls", "fileUrl", "linkUrl"):
        sketch.need("prompt")


MIDJOURNEY_USES = {
    "blend": {"imageUrls", "dimensions", "size"}, "describe": {"imageUrls"},
    "reroll": {"parentTaskId", "customId"}, "modal": {"parentTaskId", "prompt", "maskUrl"},
    "zoom": {"parentTaskId", "customId", "index", "zoomRatio"},
    "pan": {"parentTaskId", "customId", "index", "direction"},
    "remix-strong": {"parentTaskId", "index", "prompt"}, "remix-subtle": {"parentTaskId", "index", "prompt"},
    **dict.fromkeys(
        ("upscale", "variation", "high-variation", "low-variation", "inpaint"),
        frozenset({"parentTaskId", "customId", "index"}),
    ),
}  # fmt: skip
"""What APIMart's documentation says that an action can be told, besides its speed. The others take flags."""
FOLLOW_UP = {"parentTaskId", "customId", "index", "direction", "zoomRatio", "maskUrl", "dimensions"}


def midjourney(sketch: Sketch) -> None:
    action = sketch.chosen("action")
    used = MIDJOURNEY_USES.get(action, sketch.source.keys() - FOLLOW_UP)
    sketch.drop(*sorted(sketch.source.keys() - used - {"action", "speed"}))
    if action != "imagine":
        sketch.drop("repeat")
    if action in ("imagine", "edits"):
        sketch.need("prompt")
    if action in ("edits", "blend", "describe"):
        sketch.need("imageUrls")
    if action == "blend":
        sketch.source["imageUrls"] = (sketch.source["imageUrls"] * 2)[:4]
    if action == "describe":
        sketch.most("imageUrls", 1)
    if "parentTaskId" in MIDJOURNEY_USES.get(action, ()):
        sketch.need("parentTaskId")
    if "index" in MIDJOURNEY_USES.get(action, ()) and not sketch.has("customId"):
        sketch.need("index")
    if action == "pan":
        sketch.need("direction")
    if action == "modal" and not sketch.has("maskUrl"):
        sketch.need("prompt")


def midjourney_video(sketch: Sketch) -> None:
    earlier = ("parentTaskId", "index")
    kept = (
        ("parentTaskId", "index")
        if sketch.chosen("animateMode") == "auto"
        else sketch.pick(earlier, ("imageUrls",))
    )
    sketch.drop(*{"imageUrls", *earlier} - set(kept))
    sketch.need(*kept)
    sketch.drop("endUrl")
    if "start_end" in sketch.chosen("videoType"):
        sketch.need("endUrl")


LAYER = ("audioUrl", "title", "styles", "negativeTags")
NO_TASK = (
    "music", "sound", "lyrics", "boost-style", "voice", "inspo", "upload", "mashup", "cover",
    "add-instrumental", "add-vocals",
)  # fmt: skip
MUSIC_NEEDS = {
    "sound": ("prompt",), "lyrics": ("prompt",), "boost-style": ("styles",), "voice": ("voiceAudioUrl",),
    "inspo": ("audioUrls",), "upload": ("audioUrl",), "cover": ("audioUrl",), "add-instrumental": LAYER,
    "add-vocals": ("prompt", *LAYER), "replace-section": ("audioId", "prompt", "styles", "title"),
    "fade-in": ("durationS",), "fade-out": ("durationS",), "adjust-speed": ("speed",),
    "mashup": ("sourceTaskIds",), "sample": ("prompt",), "add-stem": ("prompt",),
    "extend": ("audioId", "startS"),
    **dict.fromkeys(("stems", "stems-all", "wav", "timestamped-lyrics", "music-video"), ("audioId",)),
}  # fmt: skip
STYLED = {"prompt", "title", "styles", "negativeTags", "styleWeight", "weirdnessConstraint", "audioWeight"}
SUNG = STYLED | {"vocalGender"}
WRITTEN = SUNG | {"autoLyrics"}
TRACK = {"parentTaskId", "audioId"}
SECTION = TRACK | {"startS", "endS"}
MUSIC_USES = {
    "music": WRITTEN | {"instrumental"}, "cover": WRITTEN | {"instrumental", "audioUrl"},
    "extend": WRITTEN | TRACK | {"startS"}, "inspo": WRITTEN | {"audioUrls"},
    "mashup": WRITTEN | {"instrumental", "sourceTaskIds", "audioIds"},
    "sample": WRITTEN | SECTION | {"instrumental"}, "add-stem": STYLED | TRACK,
    "add-instrumental": {*LAYER, "instrumental"}, "add-vocals": SUNG | {"audioUrl"},
    "sound": {"prompt", "type", "bpm", "key"}, "lyrics": {"prompt"}, "boost-style": {"styles"},
    "upload": {"audioUrl"}, "remaster": TRACK | {"variationCategory"},
    "voice": {"voiceAudioUrl", "verificationAudioUrl", "phraseId", "name", "description", "singerSkillLevel"},
    "replace-section": SECTION | {"prompt", "title", "styles", "negativeTags"},
    "music-video": TRACK | {"imageUrl", "backgroundColors", "aspectRatio", "quality"},
    "stems": TRACK | {"stemType"}, "vox": SECTION, "remove-section": SECTION, "crop": SECTION,
    "fade-in": TRACK | {"durationS", "title"}, "fade-out": TRACK | {"durationS", "title"},
    "adjust-speed": TRACK | {"speed", "keepPitch", "title"}, "music-cover": {"parentTaskId"},
    **dict.fromkeys(("stems-all", "wav", "timestamped-lyrics", "concat", "midi", "bpm"), TRACK),
}  # fmt: skip
"""What the documentation of the routes says that each action can be told, besides its engine."""
MUSIC_ENGINES = {
    "sound": ("v5.0", "v5.5"), "add-stem": ("v5.5",), "remaster": ("v4.5+", "v5.0", "v5.5"),
    "replace-section": ("v4.0", "v4.5+", "v5.0", "v5.5"),
    **dict.fromkeys(("inspo", "add-instrumental", "add-vocals"), ("v4.0", "v4.5", "v4.5+", "v5.0", "v5.5")),
}  # fmt: skip


def music(sketch: Sketch) -> None:
    action = sketch.chosen("action")
    sketch.drop(*sorted(sketch.source.keys() - MUSIC_USES[action] - {"action", "mv"}))
    if "mv" in sketch.source:
        sketch.set("mv", *MUSIC_ENGINES.get(action, (sketch.source["mv"],)))
    sketch.need(*MUSIC_NEEDS.get(action, ()))
    if action == "music" and not (sketch.source.get("instrumental") and sketch.has("styles")):
        sketch.need("prompt")
    if action not in NO_TASK:
        sketch.need("parentTaskId")
        sketch.drop("audioUrl")
    elif sketch.has("audioUrl"):
        sketch.drop("parentTaskId")
    if not sketch.has("parentTaskId"):
        sketch.drop("audioId")
    if action == "inspo":
        sketch.most("audioUrls", 4)
    if action in ("replace-section", "remove-section", "crop", "sample") or (
        action != "extend" and sketch.has("startS", "endS")
    ):
        sketch.source["startS"], sketch.source["endS"] = sketch.pick((0, 0.5), (1.25, 60))
    if not sketch.has("sourceTaskIds"):
        sketch.drop("audioIds")
    if sketch.has("verificationAudioUrl", "phraseId"):
        sketch.need("verificationAudioUrl", "phraseId")
    else:
        sketch.drop("name", "description", "singerSkillLevel")


FIXES: dict[str, Callable[[Sketch], None]] = {
    "IMG-B": img_b, "IMG-F": img_f, "IMG-G": img_g, "VID-C": vid_c, "VID-D": vid_d, "VID-E": vid_e,
    "VID-F": vid_f, "VID-H": vid_h, "VID-I": vid_i, "VID-L": vid_l, "VID-M": vid_m, "VID-N": vid_n,
    "VID-O": vid_o, "VID-P": vid_p, "Midjourney-image": midjourney, "Midjourney-video": midjourney_video,
    "Music": music, "3D": shape,
}  # fmt: skip
