"""The music profile and the custom-model object, sentence by sentence (docs/contract.md#music)."""

from typing import Any

from tests.unit.catalog.cases import URL, Case

P = {"prompt": "a song about a cat"}
T = {"parentTaskId": "task_1"}
MASHUP = {"action": "mashup", "sourceTaskIds": ["a", "b"]}
SECTION = {"startS": 1, "endS": 2}
LAYER = {"audioUrl": URL, "title": "Cat", "styles": "jazz", "negativeTags": "drums"}


def of_task(action: str, **more: Any) -> dict[str, Any]:
    return {"action": action, **T, **more}


def of_track(action: str, **more: Any) -> dict[str, Any]:
    return {"action": action, **T, "audioId": "a", **more}


VOICE = {"action": "voice", "voiceAudioUrl": URL}
MUSIC: list[Case] = [
    ("action default music", P, []),
    ("action: unknown", {**P, "action": "sing"}, ["action"]),
    ("music needs words", {}, ["prompt"]),
    ("music needs words: a style is not enough", {"styles": "jazz"}, ["prompt"]),
    ("an instrumental needs words or a style", {"instrumental": True}, ["prompt"]),
    ("an instrumental of a style", {"instrumental": True, "styles": "jazz"}, []),
    ("mv: v4.5+", {**P, "mv": "v4.5+"}, []),
    ("mv: not v6", {**P, "mv": "v6"}, ["mv"]),
    ("styleWeight 0.00-1.00: 0", {**P, "styleWeight": 0}, []),
    ("styleWeight 0.00-1.00: 1", {**P, "styleWeight": 1}, []),
    ("styleWeight 0.00-1.00: 0.65", {**P, "styleWeight": 0.65}, []),
    ("styleWeight 0.00-1.00: not 0.655", {**P, "styleWeight": 0.655}, ["styleWeight"]),
    ("audioWeight 0.00-1.00: not 1.01", {**P, "audioWeight": 1.01}, ["audioWeight"]),
    ("weirdnessConstraint: not -1", {**P, "weirdnessConstraint": -1}, ["weirdnessConstraint"]),
    ("vocalGender Male, Female", {**P, "vocalGender": "Female"}, []),
    ("vocalGender: not m", {**P, "vocalGender": "m"}, ["vocalGender"]),
    ("endS > startS", {**T, "action": "crop", "startS": 1, "endS": 1.5}, []),
    ("endS > startS: not equal", {**T, "action": "crop", "startS": 1, "endS": 1}, ["endS"]),
    ("crop needs its section", {**T, "action": "crop"}, ["endS", "startS"]),
    ("speed 0.25-4: 0.25", {**T, "action": "adjust-speed", "speed": 0.25}, []),
    ("speed 0.25-4: not 4.01", {**T, "action": "adjust-speed", "speed": 4.01}, ["speed"]),
    ("adjust-speed needs speed", {**T, "action": "adjust-speed"}, ["speed"]),
    ("sourceTaskIds exactly 2", MASHUP, []),
    ("sourceTaskIds exactly 2: not 1", {**P, "sourceTaskIds": ["a"]}, ["sourceTaskIds"]),
    ("audioIds parallel to sourceTaskIds", {**MASHUP, "audioIds": ["a", "b"]}, []),
    ("audioIds: not without", {"action": "mashup", "audioIds": ["a", "b"]}, ["audioIds", "sourceTaskIds"]),
    ("audioUrls: inspo 4", {"action": "inspo", "audioUrls": [URL] * 4}, []),
    ("audioUrls: inspo not 5", {"action": "inspo", "audioUrls": [URL] * 5}, ["audioUrls"]),
    ("audioUrls: not 25", {"action": "inspo", "audioUrls": [URL] * 25}, ["audioUrls"]),
    ("music: no audioUrls", {**P, "audioUrls": [URL]}, ["audioUrls"]),
    ("backgroundColors 1-4 hex colors", of_track("music-video", backgroundColors=["#1a2B3c"] * 4), []),
    ("backgroundColors: not 0", {**P, "backgroundColors": []}, ["backgroundColors"]),
    ("backgroundColors: not a name", {**P, "backgroundColors": ["red"]}, ["backgroundColors/0"]),
    ("voxAudioId deprecated, ignored: a string", {**P, "voxAudioId": "x"}, []),
    ("voxAudioId deprecated, ignored: whatever it holds", {**P, "voxAudioId": {"a": [None]}}, []),
    ("extend: a track of a task", of_track("extend", startS=10), []),
    ("extend: which track", of_task("extend", startS=10), ["audioId"]),
    ("extend: where to go on from", of_track("extend"), ["startS"]),
    (
        "extend: not from elsewhere",
        {"action": "extend", "audioUrl": URL},
        ["audioId", "audioUrl", "parentTaskId", "startS"],
    ),
    ("extend: not without a track", {"action": "extend", "startS": 10}, ["audioId", "parentTaskId"]),
    ("cover: a track", {"action": "cover", "audioUrl": URL}, []),
    ("cover: not of a task", of_task("cover"), ["audioUrl", "parentTaskId"]),
    ("add-instrumental: a track, its title and styles", {"action": "add-instrumental", **LAYER}, []),
    (
        "add-instrumental: not without",
        {"action": "add-instrumental"},
        ["audioUrl", "negativeTags", "styles", "title"],
    ),
    ("add-vocals: what to sing", {**P, **LAYER, "action": "add-vocals"}, []),
    ("add-vocals: not without words", {**LAYER, "action": "add-vocals"}, ["prompt"]),
    ("one track: not both", {"action": "cover", **T, "audioUrl": URL}, ["audioUrl", "parentTaskId"]),
    ("music: no bpm", {**P, "bpm": 90}, ["bpm"]),
    ("music: what it cannot use may have its default", {**P, "quality": "compact"}, []),
    (
        "lyrics: no styles, no instrumental",
        {**P, "action": "lyrics", "styles": "jazz", "instrumental": True},
        ["instrumental", "styles"],
    ),
    ("midi: a track of a task", of_track("midi"), []),
    ("music-cover: a task, not a track", of_track("music-cover"), ["audioId"]),
    ("music: written lyrics", {**P, "autoLyrics": True}, []),
    ("stems: no lyrics to write", of_track("stems", autoLyrics=True), ["autoLyrics"]),
    ("sound: a prompt", {**P, "action": "sound", "bpm": 90, "key": "C minor", "type": "loop"}, []),
    ("sound: not without", {"action": "sound"}, ["prompt"]),
    ("sound: of the newest engines", {**P, "action": "sound", "mv": "v5.0"}, []),
    ("sound: not of an older one", {**P, "action": "sound", "mv": "v4.5"}, ["mv"]),
    ("key: a sharp", {**P, "action": "sound", "key": "F#m"}, []),
    ("key: not a chord", {**P, "action": "sound", "key": "C sus4"}, ["key"]),
    ("type one-shot, loop", {**P, "action": "sound", "type": "once"}, ["type"]),
    ("lyrics: a prompt", {"action": "lyrics"}, ["prompt"]),
    ("boost-style: styles", {"action": "boost-style", "styles": "jazz"}, []),
    ("boost-style: not without", {"action": "boost-style"}, ["styles"]),
    ("voice: a recording", VOICE, []),
    ("voice: styles need a phrase", {**VOICE, "styles": "jazz"}, ["styles"]),
    ("voice: a skill needs a phrase", {**VOICE, "singerSkillLevel": "Beginner"}, ["singerSkillLevel"]),
    ("voice: a part has an end", {**VOICE, "startS": 0}, ["endS"]),
    (
        "voice: a part only before the phrase",
        {**VOICE, "verificationAudioUrl": URL, "phraseId": "p", "startS": 0, "endS": 9},
        ["startS", "endS"],
    ),
    (
        "voice: a part of it to sing from",
        {"action": "voice", "voiceAudioUrl": URL, "startS": 0, "endS": 9},
        [],
    ),
    (
        "voice: verified",
        {
            "action": "voice",
            "voiceAudioUrl": URL,
            "verificationAudioUrl": URL,
            "phraseId": "p",
            "name": "x",
            "styles": "jazz",
        },
        [],
    ),
    ("voice: not without", {"action": "voice"}, ["voiceAudioUrl"]),
    (
        "voice: its check has two fields",
        {"action": "voice", "voiceAudioUrl": URL, "phraseId": "p"},
        ["verificationAudioUrl"],
    ),
    ("singerSkillLevel: not expert", {**P, "singerSkillLevel": "expert"}, ["singerSkillLevel"]),
    ("inspo: not without tracks", {"action": "inspo"}, ["audioUrls"]),
    ("upload: a track", {"action": "upload", "audioUrl": URL}, []),
    ("upload: not without", {"action": "upload"}, ["audioUrl"]),
    (
        "replace-section: a track, a section and what to sing",
        of_track("replace-section", startS=1, endS=2, prompt="la", styles="jazz", title="Cat"),
        [],
    ),
    (
        "replace-section: not without",
        of_task("replace-section", startS=1, endS=2),
        ["audioId", "prompt", "styles", "title"],
    ),
    ("remove-section: not without a section", of_task("remove-section"), ["startS", "endS"]),
    ("fade-in: how long", of_task("fade-in", durationS=3), []),
    ("fade-out: not without", of_task("fade-out"), ["durationS"]),
    ("mashup: not without tasks", {"action": "mashup"}, ["sourceTaskIds"]),
    ("music-video: its fields", of_track("music-video", aspectRatio="4:3", quality="max", imageUrl=URL), []),
    ("music-video: aspectRatio", of_track("music-video", aspectRatio="21:9"), ["aspectRatio"]),
    ("quality: compact, high, max", of_track("music-video", quality="low"), ["quality"]),
    *(
        (f"{action}: a track of a task", of_track(action), [])
        for action in ("stems", "stems-all", "wav", "timestamped-lyrics", "music-video")
    ),
    *((f"{action}: a task", of_task(action), []) for action in ("music-cover", "vox", "concat", "midi")),
    *(
        (f"{action}: not without a track", {"action": action}, ["audioId", "parentTaskId"])
        for action in ("stems", "wav", "music-video")
    ),
    *(
        (f"{action}: not without a task", {"action": action}, ["parentTaskId"])
        for action in ("remaster", "bpm", "music-cover")
    ),
    ("add-stem: not without", {"action": "add-stem"}, ["parentTaskId", "prompt"]),
    ("add-stem: what to play", {**P, **of_track("add-stem", mv="v5.5")}, []),
    ("add-stem: not of an older engine", {**P, **of_task("add-stem", mv="v5.0")}, ["mv"]),
    ("sample: not without", {"action": "sample"}, ["endS", "parentTaskId", "prompt", "startS"]),
    ("sample: a section of a track", {**P, **SECTION, **of_track("sample")}, []),
    ("remaster: not of an older engine", of_task("remaster", mv="v4.5"), ["mv"]),
    ("inspo: not of the oldest engine", {"action": "inspo", "audioUrls": [URL], "mv": "v3.5"}, ["mv"]),
    ("remaster: variationCategory", of_task("remaster", variationCategory="subtle"), []),
    ("variationCategory: not low", of_task("remaster", variationCategory="low"), ["variationCategory"]),
    ("audioId: of a task", {"action": "bpm", "audioId": "a"}, ["audioId", "parentTaskId"]),
    ("stems: stemType", of_track("stems", stemType="drums"), []),
    ("bpm: no stemType", of_track("bpm", stemType="drums"), ["stemType"]),
]

TRACKS = [f"https://media.example/{number}.mp3" for number in range(25)]
CUSTOM_MODEL: list[Case] = [
    ("name and audioUrls, both required", {}, ["audioUrls", "name"]),
    ("name required", {"audioUrls": TRACKS[:6]}, ["name"]),
    ("name required, so not blank", {"name": " ", "audioUrls": TRACKS[:6]}, ["name"]),
    ("audioUrls required", {"name": "mine"}, ["audioUrls"]),
    ("audioUrls 6-24: 6", {"name": "mine", "audioUrls": TRACKS[:6]}, []),
    ("audioUrls 6-24: 24", {"name": "mine", "audioUrls": TRACKS[:24]}, []),
    ("audioUrls 6-24: 5", {"name": "mine", "audioUrls": TRACKS[:5]}, ["audioUrls"]),
    ("audioUrls 6-24: 25", {"name": "mine", "audioUrls": TRACKS}, ["audioUrls"]),
    ("audioUrls are URLs", {"name": "mine", "audioUrls": ["a.mp3", *TRACKS[:5]]}, ["audioUrls/0"]),
    ("no other fields", {"name": "mine", "audioUrls": TRACKS[:6], "mv": "custom"}, ["mv"]),
]
