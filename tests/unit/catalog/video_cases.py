"""The video profiles A to H, sentence by sentence (docs/contract.md#input-schemas); VID-F: test_vid_f.py."""

from tests.unit.catalog.cases import URL, VIDEO, Case

P = {"prompt": "a cat"}
FIRST = {"url": URL, "role": "first_frame"}
LAST = {"url": URL, "role": "last_frame"}
REFERENCE = {"url": URL, "role": "reference_image"}
SEARCH = {"type": "web_search"}

VID_A: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("defaults", P, []),
    ("aspectRatio: 9:16", {**P, "aspectRatio": "9:16"}, []),
    ("aspectRatio: not 1:1", {**P, "aspectRatio": "1:1"}, ["aspectRatio"]),
    ("urls string[]", {**P, "urls": [URL]}, []),
    ("urls string[]: not a string", {**P, "urls": URL}, ["urls"]),
    ("duration in 10, 15, 25: 25", {**P, "duration": 25}, []),
    ("duration in 10, 15, 25: 15.0", {**P, "duration": 15.0}, []),
    ("duration in 10, 15, 25: not 20", {**P, "duration": 20}, ["duration"]),
    ("duration in 10, 15, 25: not '10'", {**P, "duration": "10"}, ["duration"]),
    ("no resolution", {**P, "resolution": "720p"}, ["resolution"]),
]

VID_B: list[Case] = [
    ("prompt req", {"duration": 4}, ["prompt"]),
    ("aspectRatio: 16:9", {**P, "aspectRatio": "16:9"}, []),
    ("aspectRatio: not 4:3", {**P, "aspectRatio": "4:3"}, ["aspectRatio"]),
    ("urls max 1: 1", {**P, "urls": [URL]}, []),
    ("urls max 1: 2", {**P, "urls": [URL, URL]}, ["urls"]),
    ("duration in 4, 8, 12, 16, 20: 4", {**P, "duration": 4}, []),
    ("duration in 4, 8, 12, 16, 20: 20", {**P, "duration": 20}, []),
    ("duration in 4, 8, 12, 16, 20: not 10", {**P, "duration": 10}, ["duration"]),
    ("duration in 4, 8, 12, 16, 20: not 24", {**P, "duration": 24}, ["duration"]),
    ("null is not a value", {**P, "duration": None}, ["duration"]),
]

VID_C: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("aspectRatio: not auto", {**P, "aspectRatio": "auto"}, ["aspectRatio"]),
    ("resolution: 4k", {**P, "resolution": "4k"}, []),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
    ("generationType frame: two images", {**P, "generationType": "frame", "urls": [URL] * 2}, []),
    ("generationType frame: not three", {**P, "generationType": "frame", "urls": [URL] * 3}, ["urls"]),
    ("generationType reference: three", {**P, "generationType": "reference", "urls": [URL] * 3}, []),
    ("generationType: not text", {**P, "generationType": "text", "urls": [URL]}, ["generationType"]),
    ("generationType needs images", {**P, "generationType": "reference"}, ["generationType"]),
    ("urls: without generationType", {**P, "urls": [URL]}, []),
    ("urls: 4", {**P, "urls": [URL] * 4}, ["urls"]),
]

D_ROLES = {"imageWithRoles": [FIRST, LAST]}
VID_D: list[Case] = [
    ("prompt max 4000: 4000", {"prompt": "x" * 4000}, []),
    ("prompt max 4000: 4001", {"prompt": "x" * 4001}, ["prompt"]),
    ("prompt required unless reference media", {}, ["prompt"]),
    ("prompt required unless image media: imageUrls", {"imageUrls": [URL]}, []),
    ("prompt required unless image media: imageWithRoles", {"imageWithRoles": [FIRST]}, []),
    ("prompt required unless video media", {"videoUrls": [VIDEO]}, []),
    ("prompt required unless image or video: audio is none", {"audioUrls": [URL]}, ["prompt", "audioUrls"]),
    ("duration 4-15: 4", {**P, "duration": 4}, []),
    ("duration 4-15: 15", {**P, "duration": 15}, []),
    ("duration 4-15: 3", {**P, "duration": 3}, ["duration"]),
    ("duration 4-15: 16", {**P, "duration": 16}, ["duration"]),
    ("size: adaptive", {**P, "size": "adaptive"}, []),
    ("size: not 9:21", {**P, "size": "9:21"}, ["size"]),
    ("resolution: 4k", {**P, "resolution": "4k"}, []),
    ("resolution: not 540p", {**P, "resolution": "540p"}, ["resolution"]),
    ("seed number", {**P, "seed": 1.5}, ["seed"]),
    ("nsfwCheck boolean", {**P, "nsfwCheck": "no"}, ["nsfwCheck"]),
    ("returnLastFrame boolean", {**P, "returnLastFrame": True}, []),
    ("imageUrls max 9: 9", {"imageUrls": [URL] * 9}, []),
    ("imageUrls max 9: 10", {"imageUrls": [URL] * 10}, ["imageUrls"]),
    ("imageWithRoles max 2: 2", D_ROLES, []),
    ("imageWithRoles max 2: 3", {"imageWithRoles": [FIRST, LAST, FIRST]}, ["imageWithRoles"]),
    ("imageWithRoles: no reference_image", {"imageWithRoles": [REFERENCE]}, ["imageWithRoles/0/role"]),
    ("imageWithRoles not with imageUrls", {**D_ROLES, "imageUrls": [URL]}, ["imageWithRoles"]),
    ("imageWithRoles not with videoUrls", {**D_ROLES, "videoUrls": [VIDEO]}, ["imageWithRoles"]),
    (
        "imageWithRoles not with audioUrls, which need others",
        {**D_ROLES, "audioUrls": [URL]},
        ["audioUrls", "imageWithRoles"],
    ),
    ("imageWithRoles: a last frame alone", {"imageWithRoles": [LAST]}, ["imageWithRoles"]),
    ("videoUrls max 3: 3", {"videoUrls": [VIDEO] * 3}, []),
    ("videoUrls max 3: 4", {"videoUrls": [VIDEO] * 4}, ["videoUrls"]),
    ("audioUrls max 3: 3", {"imageUrls": [URL], "audioUrls": [URL] * 3}, []),
    ("audioUrls max 3: 4", {"imageUrls": [URL], "audioUrls": [URL] * 4}, ["audioUrls"]),
    ("audioUrls requires imageUrls or videoUrls", {**P, "audioUrls": [URL]}, ["audioUrls"]),
    ("audioUrls beside videoUrls", {"videoUrls": [VIDEO], "audioUrls": [URL]}, []),
    ("tools of {type: web_search}", {**P, "tools": [SEARCH]}, []),
    ("tools: no other type", {**P, "tools": [{"type": "code"}]}, ["tools/0/type"]),
    ("tools: type required", {**P, "tools": [{}]}, ["tools/0/type"]),
]

VID_E: list[Case] = [
    ("prompt req", {"imageUrls": [URL]}, ["prompt"]),
    ("duration 4-30: 30", {**P, "duration": 30}, []),
    ("duration 4-30: 31", {**P, "duration": 31}, ["duration"]),
    ("duration 4-30: 3", {**P, "duration": 3}, ["duration"]),
    ("size: 21:9", {**P, "size": "21:9"}, []),
    ("frame jobs require adaptive: default", {**P, "imageWithRoles": [FIRST]}, []),
    ("frame jobs require adaptive: not 16:9", {**P, "imageWithRoles": [FIRST], "size": "16:9"}, ["size"]),
    (
        "frame jobs require adaptive: references do not",
        {**P, "imageWithRoles": [REFERENCE], "size": "16:9"},
        [],
    ),
    (
        "extend jobs require adaptive",
        {**P, "omniReferenceTaskType": "extend", "videoUrls": [VIDEO], "size": "1:1"},
        ["size"],
    ),
    ("extend: a video", {**P, "omniReferenceTaskType": "extend", "videoUrls": [VIDEO]}, []),
    ("extend: not without a video", {**P, "omniReferenceTaskType": "extend"}, ["videoUrls"]),
    ("omniReferenceTaskType: not edit", {**P, "omniReferenceTaskType": "edit"}, ["omniReferenceTaskType"]),
    ("resolution: not 4k", {**P, "resolution": "4k"}, ["resolution"]),
    ("outputFormat: mov", {**P, "outputFormat": "mov"}, []),
    ("outputFormat: not webm", {**P, "outputFormat": "webm"}, ["outputFormat"]),
    ("imageUrls max 30: 30", {**P, "imageUrls": [URL] * 30}, []),
    ("imageUrls max 30: 31", {**P, "imageUrls": [URL] * 31}, ["imageUrls"]),
    (
        "max 30 across both image fields: 30",
        {**P, "imageUrls": [URL] * 20, "imageWithRoles": [REFERENCE] * 10},
        [],
    ),
    (
        "max 30 across both image fields: 31",
        {**P, "imageUrls": [URL] * 20, "imageWithRoles": [REFERENCE] * 11},
        ["imageUrls"],
    ),
    ("imageWithRoles: each frame once", {**P, "imageWithRoles": [FIRST, FIRST]}, ["imageWithRoles/1/role"]),
    ("imageWithRoles: references many times", {**P, "imageWithRoles": [REFERENCE] * 3}, []),
    ("frames: not with a reference", {**P, "imageWithRoles": [FIRST, REFERENCE]}, ["imageWithRoles"]),
    ("frames: not with images", {**P, "imageWithRoles": [FIRST], "imageUrls": [URL]}, ["imageWithRoles"]),
    ("frames: not with videos", {**P, "imageWithRoles": [FIRST], "videoUrls": [VIDEO]}, ["imageWithRoles"]),
    ("frames: not with sound", {**P, "imageWithRoles": [FIRST], "audioUrls": [URL]}, ["imageWithRoles"]),
    ("videoUrls max 10: 10", {**P, "videoUrls": [VIDEO] * 10}, []),
    ("videoUrls max 10: 11", {**P, "videoUrls": [VIDEO] * 11}, ["videoUrls"]),
    ("audioUrls max 10: 10", {**P, "audioUrls": [URL] * 10}, []),
    ("audioUrls max 10: 11", {**P, "audioUrls": [URL] * 11}, ["audioUrls"]),
    ("tools of {type: web_search}", {**P, "tools": [SEARCH]}, []),
    ("watermark boolean", {**P, "watermark": 1}, ["watermark"]),
]

VID_G: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("size: 3:2", {**P, "size": "3:2"}, []),
    ("size: not 4:3", {**P, "size": "4:3"}, ["size"]),
    ("duration: 6", {**P, "duration": 6}, []),
    ("duration: 30", {**P, "duration": 30}, []),
    ("duration: not 7", {**P, "duration": 7}, ["duration"]),
    ("duration: not 31", {**P, "duration": 31}, ["duration"]),
    ("resolution: 720p", {**P, "resolution": "720p"}, []),
    ("resolution: not 1080p", {**P, "resolution": "1080p"}, ["resolution"]),
    ("urls: 7", {**P, "urls": [URL] * 7}, []),
    ("urls: 8", {**P, "urls": [URL] * 8}, ["urls"]),
]

VID_H: list[Case] = [
    ("prompt req max 4000: 4000", {"prompt": "x" * 4000}, []),
    ("prompt req max 4000: 4001", {"prompt": "x" * 4001}, ["prompt"]),
    ("imageUrls: first and last frame", {**P, "imageUrls": [URL, URL]}, []),
    ("imageUrls: not three", {**P, "imageUrls": [URL] * 3}, ["imageUrls"]),
    (
        "imageUrls not with reference inputs: images",
        {**P, "imageUrls": [URL], "referenceImageUrls": [URL]},
        ["imageUrls"],
    ),
    (
        "imageUrls not with reference inputs: a video",
        {**P, "imageUrls": [URL], "referenceVideoUrls": [VIDEO]},
        ["imageUrls"],
    ),
    ("referenceImageUrls up to 7: 7", {**P, "referenceImageUrls": [URL] * 7}, []),
    ("referenceImageUrls up to 7: 8", {**P, "referenceImageUrls": [URL] * 8}, ["referenceImageUrls"]),
    (
        "up to 5 with a reference video: 5",
        {**P, "referenceImageUrls": [URL] * 5, "referenceVideoUrls": [VIDEO]},
        [],
    ),
    (
        "up to 5 with a reference video: 6",
        {**P, "referenceImageUrls": [URL] * 6, "referenceVideoUrls": [VIDEO]},
        ["referenceImageUrls"],
    ),
    (
        "referenceVideoUrls one source video: 2",
        {**P, "referenceVideoUrls": [VIDEO] * 2},
        ["referenceVideoUrls"],
    ),
    ("aspectRatio: not 1:1", {**P, "aspectRatio": "1:1"}, ["aspectRatio"]),
    ("duration in 4, 6, 8, 10: 10", {**P, "duration": 10}, []),
    ("duration in 4, 6, 8, 10: not 5", {**P, "duration": 5}, ["duration"]),
    ("duration ignored with a source video", {**P, "duration": 4, "referenceVideoUrls": [VIDEO]}, []),
    ("resolution: 360p", {**P, "resolution": "360p"}, []),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
]
