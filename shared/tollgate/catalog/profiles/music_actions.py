"""The actions of the music profile, with their required and supported fields.

The contract does not list them. Decided here, by the routes' calls (docs/providers/apimart.md,
docs/providers/poyo.md):

    music                            words, or for an instrumental, a style
    sound, lyrics                    a prompt
    boost-style                      styles
    voice                            a recording; the check of it has two fields, together
    inspo                            1–4 tracks to be inspired by
    upload                           a track
    cover                            a track from elsewhere
    add-instrumental                 that, its title, styles and negativeTags
    add-vocals                       all of that, and the words to sing
    stems, stems-all, wav,           a track of a task: the task and which track
    timestamped-lyrics, music-video
    extend                           that, and where to continue from
    replace-section                  that, the section, its words, styles and the title
    remove-section, crop             a task, and the section
    fade-in, fade-out; adjust-speed  a task, and how long; how fast
    mashup                           exactly two tasks
    sample; add-stem                 a task, the section and a prompt; a task and a prompt
    every other action               a task
"""

from collections.abc import Mapping
from typing import Any

from tollgate.catalog.rules import Case

ACTIONS = (
    "music", "extend", "cover", "add-instrumental", "add-vocals", "sound", "stems", "stems-all", "wav",
    "lyrics", "voice", "timestamped-lyrics", "boost-style", "music-cover", "replace-section", "music-video",
    "inspo", "upload", "remaster", "add-stem", "vox", "remove-section", "crop", "fade-in", "fade-out",
    "adjust-speed", "concat", "mashup", "sample", "midi", "bpm",
)  # fmt: skip
ENGINES = ("v3.5", "v4.0", "v4.5", "v4.5+", "v5.0", "v5.5", "custom")

SECTION = ("parentTaskId", "startS", "endS")
TRACK = ("parentTaskId", "audioId")
ON_A_TRACK = ("stems", "stems-all", "wav", "timestamped-lyrics", "music-video")
ON_A_TASK = ("music-cover", "remaster", "vox", "concat", "midi", "bpm")
LAYER = ("audioUrl", "title", "styles", "negativeTags")
CASES = (
    Case(("sound", "lyrics"), ("prompt",)),
    Case(("boost-style",), ("styles",)),
    Case(("voice",), ("voiceAudioUrl",)),
    Case(("inspo",), ("audioUrls",)),
    Case(("upload",), ("audioUrl",)),
    Case(("cover",), ("audioUrl",)),
    Case(("add-instrumental",), LAYER),
    Case(("add-vocals",), ("prompt", *LAYER)),
    Case(("replace-section",), (*SECTION, "audioId", "prompt", "styles", "title")),
    Case(("remove-section", "crop"), SECTION),
    Case(("fade-in", "fade-out"), ("parentTaskId", "durationS")),
    Case(("adjust-speed",), ("parentTaskId", "speed")),
    Case(("mashup",), ("sourceTaskIds",)),
    Case(("sample",), (*SECTION, "prompt")),
    Case(("add-stem",), ("parentTaskId", "prompt")),
    Case(("extend",), (*TRACK, "startS")),
    Case(ON_A_TRACK, TRACK),
    Case(ON_A_TASK, ("parentTaskId",)),
)

STYLED = (
    "prompt", "title", "styles", "negativeTags", "styleWeight", "weirdnessConstraint", "audioWeight",
)  # fmt: skip
SUNG = (*STYLED, "vocalGender")
WRITTEN = (*SUNG, "autoLyrics")
# The fields that each action supports besides the engine, because its routes can send them.
FIELDS_OF_ACTION: Mapping[str, tuple[str, ...]] = {
    "music": (*WRITTEN, "instrumental"),
    "cover": (*WRITTEN, "instrumental", "audioUrl"),
    "extend": (*WRITTEN, *TRACK, "startS"),
    "mashup": (*WRITTEN, "instrumental", "sourceTaskIds", "audioIds"),
    "sample": (*WRITTEN, "instrumental", *SECTION, "audioId"),
    "inspo": (*WRITTEN, "audioUrls"),
    "add-instrumental": (*LAYER, "instrumental"),
    "add-vocals": (*SUNG, "audioUrl"),
    "add-stem": (*STYLED, *TRACK),
    "sound": ("prompt", "type", "bpm", "key"),
    "replace-section": (*SECTION, "audioId", "prompt", "title", "styles", "negativeTags"),
    "remaster": (*TRACK, "variationCategory"),
    "lyrics": ("prompt",),
    "boost-style": ("styles",),
    "upload": ("audioUrl",),
    "voice": (
        "voiceAudioUrl", "startS", "endS",
        "verificationAudioUrl", "phraseId", "name", "description", "styles", "singerSkillLevel",
    ),
    "music-video": (*TRACK, "imageUrl", "backgroundColors", "aspectRatio", "quality"),
    "stems": (*TRACK, "stemType"),
    "vox": (*TRACK, "startS", "endS"),
    "adjust-speed": (*TRACK, "speed", "keepPitch", "title"),
    **dict.fromkeys(("remove-section", "crop"), (*SECTION, "audioId")),
    **dict.fromkeys(("fade-in", "fade-out"), (*TRACK, "durationS", "title")),
    **dict.fromkeys(("stems-all", "wav", "timestamped-lyrics", "concat", "midi", "bpm"), TRACK),
    "music-cover": ("parentTaskId",),
}  # fmt: skip
REDUNDANT_VALUES: Mapping[str, Any] = {
    "instrumental": False,
    "aspectRatio": "9:16",
    "quality": "compact",
    "stemType": "lead_vocal",
    "keepPitch": True,
}
# The actions that only some engines support, by the routes' calls.
ENGINES_OF: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("sound",): ("v5.0", "v5.5"),
    ("add-stem",): ("v5.5",),
    ("remaster",): ("v4.5+", "v5.0", "v5.5"),
    ("replace-section",): ("v4.0", "v4.5+", "v5.0", "v5.5"),
    ("inspo", "add-instrumental", "add-vocals"): ENGINES[1:],
}
