"""The video profiles I to P, sentence by sentence (docs/contract.md#input-schemas)."""

from typing import Any

from tests.unit.catalog.cases import URL, VIDEO, Case
from tests.unit.catalog.video_cases import FIRST, LAST, REFERENCE

P = {"prompt": "a cat"}

VID_I: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("resolution: 1080p", {**P, "resolution": "1080p"}, []),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
    ("draft mode 720p only: 720p", {**P, "draft": True, "resolution": "720p"}, []),
    ("draft mode 720p only: not 1080p", {**P, "draft": True, "resolution": "1080p"}, ["resolution"]),
    ("duration 5-20: 5", {**P, "duration": 5}, []),
    ("duration 5-20: 20", {**P, "duration": 20}, []),
    ("duration 5-20: 4", {**P, "duration": 4}, ["duration"]),
    ("duration 5-20: 21", {**P, "duration": 21}, ["duration"]),
    ("aspectRatio: 2:1", {**P, "aspectRatio": "2:1"}, []),
    ("aspectRatio: not 3:2", {**P, "aspectRatio": "3:2"}, ["aspectRatio"]),
    ("imageUrls 1-10: 10", {**P, "imageUrls": [URL] * 10}, []),
    ("imageUrls 1-10: 11", {**P, "imageUrls": [URL] * 11}, ["imageUrls"]),
    ("imageUrls 1-10: not 0", {**P, "imageUrls": []}, ["imageUrls"]),
    ("videoUrl", {**P, "videoUrl": VIDEO}, []),
    ("videoUrl not with imageUrls", {**P, "videoUrl": VIDEO, "imageUrls": [URL]}, ["videoUrl"]),
    ("safetyTolerance 0-4: 0", {**P, "safetyTolerance": 0}, []),
    ("safetyTolerance 0-4: 5", {**P, "safetyTolerance": 5}, ["safetyTolerance"]),
]

VID_J: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("prompt max 2500: 2500", {"prompt": "x" * 2500}, []),
    ("prompt max 2500: 2501", {"prompt": "x" * 2501}, ["prompt"]),
    ("resolution: 4k", {**P, "resolution": "4k"}, []),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
    ("duration 3-15: 3", {**P, "duration": 3}, []),
    ("duration 3-15: 15", {**P, "duration": 15}, []),
    ("duration 3-15: 2", {**P, "duration": 2}, ["duration"]),
    ("duration 3-15: 16", {**P, "duration": 16}, ["duration"]),
    ("aspectRatio ignored in image-to-video", {**P, "aspectRatio": "1:1", "imageUrls": [URL]}, []),
    ("generateAudio boolean", {**P, "generateAudio": "on"}, ["generateAudio"]),
    ("imageUrls: one or two", {**P, "imageUrls": [URL, URL]}, []),
    ("imageUrls: not three", {**P, "imageUrls": [URL] * 3}, ["imageUrls"]),
]

K: dict[str, Any] = {"imageUrls": [URL], "videoUrls": [VIDEO], "characterOrientation": "image"}


def k_without(name: str) -> dict[str, Any]:
    return {key: value for key, value in K.items() if key != name}


VID_K: list[Case] = [
    ("prompt optional", K, []),
    ("prompt optional: given", {**K, **P}, []),
    ("imageUrls required", k_without("imageUrls"), ["imageUrls"]),
    ("imageUrls exactly one: two", {**K, "imageUrls": [URL, URL]}, ["imageUrls"]),
    ("imageUrls exactly one: none", {**K, "imageUrls": []}, ["imageUrls"]),
    ("videoUrls required", k_without("videoUrls"), ["videoUrls"]),
    ("videoUrls exactly one: two", {**K, "videoUrls": [VIDEO, VIDEO]}, ["videoUrls"]),
    ("characterOrientation required", k_without("characterOrientation"), ["characterOrientation"]),
    ("characterOrientation: video", {**K, "characterOrientation": "video"}, []),
    ("characterOrientation: not left", {**K, "characterOrientation": "left"}, ["characterOrientation"]),
    ("resolution: 1080p", {**K, "resolution": "1080p"}, []),
    ("resolution: not 4k", {**K, "resolution": "4k"}, ["resolution"]),
    ("no duration", {**K, "duration": 5}, ["duration"]),
]

FRAMED = {**P, "videoMode": "start_end_frame", "startFrameUrl": URL}
ELEMENTS = {**P, "videoMode": "elements"}
TRANSFORM = {**P, "videoMode": "transform", "videoUrl": VIDEO}
IMAGE_ELEMENT = {"type": "image", "imageUrls": [URL]}
VIDEO_ELEMENT = {"type": "video", "videoUrl": VIDEO}


def scenes(*lengths: int) -> dict[str, Any]:
    return {"multiShots": [{"prompt": "a cat", "duration": length} for length in lengths]}


VID_L: list[Case] = [
    ("prompt required unless multiShots", {}, ["prompt"]),
    ("prompt required unless multiShots: scenes", scenes(1, 2), []),
    ("prompt mutually exclusive with multiShots", {**P, **scenes(1, 2)}, ["multiShots"]),
    ("pure text-to-video", {**P, "aspectRatio": "21:9", "duration": 30, "resolution": "1080p"}, []),
    ("videoMode: not text", {**P, "videoMode": "text"}, ["videoMode"]),
    ("duration 3-30: 2", {**P, "duration": 2}, ["duration"]),
    ("duration 3-30: 31", {**P, "duration": 31}, ["duration"]),
    ("aspectRatio: not 4:3", {**P, "aspectRatio": "4:3"}, ["aspectRatio"]),
    ("aspectRatio must be auto with a source video", {**TRANSFORM, "aspectRatio": "16:9"}, ["aspectRatio"]),
    ("aspectRatio auto with a source video", {**TRANSFORM, "aspectRatio": "auto"}, []),
    ("imageUrls in elements", {**ELEMENTS, "imageUrls": [URL] * 10}, []),
    ("imageUrls up to 10: 11", {**ELEMENTS, "imageUrls": [URL] * 11}, ["imageUrls"]),
    ("imageUrls in transform", {**TRANSFORM, "imageUrls": [URL]}, []),
    ("imageUrls not in text-to-video", {**P, "imageUrls": [URL]}, ["imageUrls"]),
    ("imageUrls not in start_end_frame", {**FRAMED, "imageUrls": [URL]}, ["imageUrls"]),
    ("elements mode needs something", ELEMENTS, ["elements"]),
    ("startImageIndex 1-10", {**ELEMENTS, "imageUrls": [URL] * 2, "startImageIndex": 2}, []),
    (
        "startImageIndex: of an image",
        {**ELEMENTS, "imageUrls": [URL], "startImageIndex": 2},
        ["startImageIndex"],
    ),
    ("startImageIndex: 0", {**ELEMENTS, "imageUrls": [URL], "startImageIndex": 0}, ["startImageIndex"]),
    ("startImageIndex: needs images", {**P, "startImageIndex": 1}, ["startImageIndex"]),
    ("elements up to 7: 7", {**ELEMENTS, "elements": [IMAGE_ELEMENT] * 7}, []),
    ("elements up to 7: 8", {**ELEMENTS, "elements": [IMAGE_ELEMENT] * 8}, ["elements"]),
    ("elements: not in text-to-video", {**P, "elements": [IMAGE_ELEMENT]}, ["elements"]),
    ("elements: imageUrls 1..4: 4", {**ELEMENTS, "elements": [{"imageUrls": [URL] * 4}]}, []),
    (
        "elements: imageUrls 1..4: 5",
        {**ELEMENTS, "elements": [{"imageUrls": [URL] * 5}]},
        ["elements/0/imageUrls"],
    ),
    ("elements: images or a video", {**ELEMENTS, "elements": [{"description": "a cat"}]}, ["elements/0"]),
    (
        "elements: what the type says",
        {**ELEMENTS, "elements": [{**IMAGE_ELEMENT, "type": "video"}]},
        ["elements/0"],
    ),
    (
        "elements: images or a video, not both",
        {**ELEMENTS, "elements": [{"imageUrls": [URL], "videoUrl": VIDEO}]},
        ["elements/0/videoUrl"],
    ),
    (
        "elements: no video beside a source video",
        {**TRANSFORM, "elements": [IMAGE_ELEMENT, VIDEO_ELEMENT]},
        ["elements/1/videoUrl"],
    ),
    ("elements: max 3 video elements: 3", {**ELEMENTS, "elements": [VIDEO_ELEMENT] * 3}, []),
    ("elements: max 3 video elements: 4", {**ELEMENTS, "elements": [VIDEO_ELEMENT] * 4}, ["elements"]),
    (
        "images+elements at most 15: 15",
        {**ELEMENTS, "imageUrls": [URL] * 10, "elements": [IMAGE_ELEMENT] * 5},
        [],
    ),
    (
        "images+elements at most 15: 16",
        {**ELEMENTS, "imageUrls": [URL] * 10, "elements": [IMAGE_ELEMENT] * 6},
        ["elements"],
    ),
    (
        "or 14 with source video: 14",
        {**TRANSFORM, "imageUrls": [URL] * 10, "elements": [IMAGE_ELEMENT] * 4},
        [],
    ),
    (
        "or 14 with source video: 15",
        {**TRANSFORM, "imageUrls": [URL] * 10, "elements": [IMAGE_ELEMENT] * 5},
        ["elements"],
    ),
    ("startFrameUrl required in start_end_frame", {**P, "videoMode": "start_end_frame"}, ["startFrameUrl"]),
    ("startFrameUrl only there", {**P, "startFrameUrl": URL}, ["startFrameUrl"]),
    (
        "keyframeUrls up to 8: 8, ten frames in all",
        {**FRAMED, "keyframeUrls": [URL] * 8, "endFrameUrl": URL},
        [],
    ),
    ("keyframeUrls up to 8: 9", {**FRAMED, "keyframeUrls": [URL] * 9}, ["keyframeUrls"]),
    ("endFrameUrl optional", FRAMED, []),
    ("videoUrl required in transform", {**P, "videoMode": "transform"}, ["videoUrl"]),
    ("videoUrl required in video_reference", {**P, "videoMode": "video_reference"}, ["videoUrl"]),
    ("videoUrl not in elements", {**ELEMENTS, "imageUrls": [URL], "videoUrl": VIDEO}, ["videoUrl"]),
    ("multiShots 2-6 scenes: 1", scenes(3), ["multiShots"]),
    ("multiShots 2-6 scenes: 7", scenes(*[1] * 7), ["multiShots"]),
    ("multiShots totalling 3-30 s: 30", scenes(15, 15), []),
    ("multiShots totalling 3-30 s: 31", scenes(15, 16), ["multiShots"]),
    ("multiShots totalling 3-30 s: 2", scenes(1, 1), ["multiShots"]),
    (
        "multiShots: each has its prompt",
        {"multiShots": [{"duration": 3}] * 2},
        ["multiShots/0/prompt", "multiShots/1/prompt"],
    ),
    ("multiShots in elements mode", {"videoMode": "elements", "imageUrls": [URL], **scenes(2, 3)}, []),
    (
        "multiShots not in transform",
        {"videoMode": "transform", "videoUrl": VIDEO, **scenes(2, 3)},
        ["multiShots"],
    ),
]

VID_M: list[Case] = [
    ("prompt req", {}, ["prompt"]),
    ("aspectRatio: not 1:1", {**P, "aspectRatio": "1:1"}, ["aspectRatio"]),
    ("imageUrls up to 9: 9", {**P, "imageUrls": [URL] * 9}, []),
    ("imageUrls up to 9: 10", {**P, "imageUrls": [URL] * 10}, ["imageUrls"]),
    ("audioUrls up to 3: 3", {**P, "audioUrls": [URL] * 3}, []),
    ("audioUrls up to 3: 4", {**P, "audioUrls": [URL] * 4}, ["audioUrls"]),
    ("resolution: 768p", {**P, "resolution": "768p"}, []),
    ("resolution: not 720p", {**P, "resolution": "720p"}, ["resolution"]),
    ("duration 1-15: 1", {**P, "duration": 1}, []),
    ("duration 1-15: 15 at 768p", {**P, "duration": 15, "resolution": "768p"}, []),
    ("duration 1-15: 16", {**P, "duration": 16}, ["duration"]),
    ("at most 10 at 1080p: 10", {**P, "duration": 10, "resolution": "1080p"}, []),
    ("at most 10 at 1080p: 11", {**P, "duration": 11, "resolution": "1080p"}, ["duration"]),
    ("seed", {**P, "seed": "1"}, ["seed"]),
]

TRANSITION = {**P, "firstFrameImage": URL, "lastFrameImage": URL}
VID_N: list[Case] = [
    ("prompt req max 5000: 5000", {"prompt": "x" * 5000}, []),
    ("prompt req max 5000: 5001", {"prompt": "x" * 5001}, ["prompt"]),
    ("prompt req", {"imageUrls": [URL]}, ["prompt"]),
    ("resolution: 540p", {**P, "resolution": "540p"}, []),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
    ("duration 1-15: 1", {**P, "duration": 1}, []),
    ("duration 1-15: 16", {**P, "duration": 16}, ["duration"]),
    ("transition mode only 5 or 8: 8", {**TRANSITION, "duration": 8}, []),
    ("transition mode only 5 or 8: 6", {**TRANSITION, "duration": 6}, ["duration"]),
    ("frames only together: not the first alone", {**P, "firstFrameImage": URL}, ["lastFrameImage"]),
    ("frames only together: not the last alone", {**P, "lastFrameImage": URL}, ["firstFrameImage"]),
    ("size: 2:3", {**P, "size": "2:3"}, []),
    ("size: not auto", {**P, "size": "auto"}, ["size"]),
    ("negativePrompt max 2048: 2048", {**P, "negativePrompt": "x" * 2048}, []),
    ("negativePrompt max 2048: 2049", {**P, "negativePrompt": "x" * 2049}, ["negativePrompt"]),
    ("motionMode normal", {**P, "motionMode": "fast"}, ["motionMode"]),
    ("generateMultiClipSwitch in text-to-video", {**P, "generateMultiClipSwitch": True}, []),
    (
        "generateMultiClipSwitch in image-to-video",
        {**P, "generateMultiClipSwitch": True, "imageUrls": [URL]},
        [],
    ),
    (
        "generateMultiClipSwitch in those only",
        {**TRANSITION, "generateMultiClipSwitch": True},
        ["generateMultiClipSwitch"],
    ),
    ("imgReferences 1-7: 7", {**P, "imgReferences": [URL] * 7}, []),
    ("imgReferences 1-7: 8", {**P, "imgReferences": [URL] * 8}, ["imgReferences"]),
    ("imgReferences 1-7: 0", {**P, "imgReferences": []}, ["imgReferences"]),
    ("extendFromTaskId", {**P, "extendFromTaskId": "task_1"}, []),
    ("one job at a time", {**P, "imageUrls": [URL], "extendFromTaskId": "task_1"}, ["extendFromTaskId"]),
    ("one job at a time: frames", {**TRANSITION, "imgReferences": [URL]}, ["imgReferences"]),
]

EDIT = {**P, "editVideoUrl": VIDEO}
VID_O: list[Case] = [
    ("prompt string: required without media", {}, ["prompt"]),
    ("prompt string: not beside media", {"imageUrls": [URL]}, []),
    ("text-to-video 5/10/15: 15", {**P, "duration": 15}, []),
    ("text-to-video 5/10/15: 6", {**P, "duration": 6}, ["duration"]),
    ("image-to-video 2-15: 2", {**P, "imageUrls": [URL], "duration": 2}, []),
    ("image-to-video 2-15: 15", {**P, "imageUrls": [URL], "duration": 15}, []),
    ("image-to-video 2-15: 1", {**P, "imageUrls": [URL], "duration": 1}, ["duration"]),
    ("reference-to-video 2-10: 10", {**P, "referenceImageUrls": [URL], "duration": 10}, []),
    ("reference-to-video 2-10: 11", {**P, "referenceVideoUrls": [VIDEO], "duration": 11}, ["duration"]),
    ("edit-video 0 or 2-10: 0", {**EDIT, "duration": 0}, []),
    ("edit-video 0 or 2-10: 10", {**EDIT, "duration": 10}, []),
    ("edit-video 0 or 2-10: 1", {**EDIT, "duration": 1}, ["duration"]),
    ("edit-video 0 or 2-10: 0 is for edits only", {**P, "duration": 0}, ["duration"]),
    ("duration: 16", {**P, "duration": 16}, ["duration"]),
    ("imageUrls: start and end frame", {**P, "imageUrls": [URL, URL]}, []),
    ("imageUrls: not three", {**P, "imageUrls": [URL] * 3}, ["imageUrls"]),
    ("continueVideoUrl", {**P, "continueVideoUrl": VIDEO}, []),
    (
        "continueVideoUrl not with imageUrls",
        {**P, "continueVideoUrl": VIDEO, "imageUrls": [URL]},
        ["continueVideoUrl"],
    ),
    (
        "continueVideoUrl not with audioUrl",
        {**P, "continueVideoUrl": VIDEO, "audioUrl": URL},
        ["continueVideoUrl"],
    ),
    ("referenceImageUrl is for an edit", {**P, "referenceImageUrl": URL}, ["referenceImageUrl"]),
    ("one job at a time", {**EDIT, "imageUrls": [URL]}, ["editVideoUrl"]),
    ("size: not 21:9", {**P, "size": "21:9"}, ["size"]),
    ("resolution: not 480p", {**P, "resolution": "480p"}, ["resolution"]),
    ("multiShots boolean", {**P, "multiShots": True}, []),
]

FRAMES = [FIRST, LAST]
VID_P: list[Case] = [
    ("prompt max 20000: 20000", {"prompt": "x" * 20_000}, []),
    ("prompt max 20000: 20001", {"prompt": "x" * 20_001}, ["prompt"]),
    ("prompt required without media", {}, ["prompt"]),
    ("prompt not beside a document", {"fileUrl": URL}, []),
    ("imageUrls max 10: 10", {"imageUrls": [URL] * 10}, []),
    ("imageUrls max 10: 11", {"imageUrls": [URL] * 11}, ["imageUrls"]),
    ("imageWithRoles: frames", {"imageWithRoles": FRAMES}, []),
    ("imageWithRoles: role?", {"imageWithRoles": [{"url": URL}]}, []),
    ("imageWithRoles max 10: 11", {"imageWithRoles": [REFERENCE] * 11}, ["imageWithRoles"]),
    ("families cannot be mixed: roles", {"imageWithRoles": [FIRST, REFERENCE]}, ["imageWithRoles"]),
    (
        "families cannot be mixed: videos",
        {"imageWithRoles": FRAMES, "videoUrls": [VIDEO]},
        ["imageWithRoles"],
    ),
    ("families cannot be mixed: images", {"imageWithRoles": FRAMES, "imageUrls": [URL]}, ["imageWithRoles"]),
    ("generationType frame: two images", {"generationType": "frame", "imageUrls": [URL, URL]}, []),
    ("generationType frame: not three", {"generationType": "frame", "imageUrls": [URL] * 3}, ["imageUrls"]),
    ("generationType frame: no video", {"generationType": "frame", "videoUrls": [VIDEO]}, ["generationType"]),
    (
        "generationType reference: no frames",
        {"generationType": "reference", "imageWithRoles": FRAMES},
        ["generationType"],
    ),
    (
        "generationType reference: images and videos",
        {"generationType": "reference", "imageUrls": [URL], "videoUrls": [VIDEO]},
        [],
    ),
    ("videoUrls max 5: 6", {"videoUrls": [VIDEO] * 6}, ["videoUrls"]),
    ("audioUrls max 5: 5", {**P, "audioUrls": [URL] * 5}, []),
    ("audioUrls max 5: 6", {**P, "audioUrls": [URL] * 6}, ["audioUrls"]),
    ("fileUrl not with linkUrl", {"fileUrl": URL, "linkUrl": "https://page.example"}, ["fileUrl"]),
    ("linkUrl alone", {"linkUrl": "https://page.example"}, []),
    ("size: adaptive", {**P, "size": "adaptive"}, []),
    ("size: not 21:9", {**P, "size": "21:9"}, ["size"]),
    ("resolution: not 4k", {**P, "resolution": "4k"}, ["resolution"]),
    ("duration 2-30: 2", {**P, "duration": 2}, []),
    ("duration 2-30: 31", {**P, "duration": 31}, ["duration"]),
    ("seed 0-2147483647: 2147483647", {**P, "seed": 2147483647}, []),
    ("seed 0-2147483647: 2147483648", {**P, "seed": 2147483648}, ["seed"]),
]
