/** A URL, a data URI, the id of an upload, bytes, or a local file (see `fromPath`). */
export type Media = string | Blob | Uint8Array;
/** FLUX 3 Image */
export interface Flux3ImageInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 10 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "auto" | "21:9" | "2:1" | "16:9" | "3:2" | "7:5" | "4:3" | "5:4" | "1:1" | "4:5" | "3:4" | "5:7" | "2:3" | "9:16" | "1:2" | "9:21";
    /** Each tier has its price. */
    resolution?: "768SQ" | "1K" | "1.5K" | "2K" | "4K";
    /** Look up facts and images on the web first. Costs nothing extra. */
    grounding?: boolean;
}
/** FLUX 3 Klein */
export interface Flux3KleinInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Shape of the image. */
    size?: "auto" | "21:9" | "2:1" | "16:9" | "3:2" | "7:5" | "4:3" | "5:4" | "1:1" | "4:5" | "3:4" | "5:7" | "2:3" | "9:16" | "1:2" | "9:21";
    /** Each tier has its price. */
    resolution?: "1K" | "2K" | "4K";
}
/** FLUX 3 Video */
export interface Flux3VideoInput {
    /** What happens in the video. */
    prompt: string;
    /** Billed per second of each tier. A draft is 720p. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. */
    aspectRatio?: "auto" | "21:9" | "2:1" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16";
    /** 1 to 10 images in the order in which they appear. Not with videoUrl. */
    imageUrls?: Array<Media>;
    /** An MP4 file. Not with imageUrls. */
    videoUrl?: Media;
    /** A quick, cheap look, in 720p only. */
    draft?: boolean;
    /** 0 is the strictest check of the content. */
    safetyTolerance?: number;
}
/** Gemini Omni Flash 1.1 */
export interface GeminiOmni11FlashInput {
    /** What happens in the video. */
    prompt: string;
    /** The first frame and, if you like, the last. Not with references. */
    imageUrls?: Array<Media>;
    /** Up to 7 images, up to 5 with a reference video. Not with imageUrls. */
    referenceImageUrls?: Array<Media>;
    /** One video of 3 to 10 s. The result is as long. Not with imageUrls. */
    referenceVideoUrls?: Array<Media>;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Length in seconds. Ignored with a source video. */
    duration?: 4 | 6 | 8 | 10;
    /** 1080p and 4k are upscaled. */
    resolution?: "360p" | "720p" | "1080p" | "4k";
}
/** GPT Image 2 */
export interface GptImage2Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 16 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k. */
    size?: "auto" | "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3" | "5:4" | "4:5" | "2:1" | "1:2" | "3:1" | "1:3" | "21:9" | "9:21";
    /** Each tier has its price. */
    resolution?: "1k" | "2k" | "4k";
}
/** GPT Image 2.5 Flare */
export interface GptImage25FlareInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 16 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k. */
    size?: "auto" | "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3" | "5:4" | "4:5" | "2:1" | "1:2" | "3:1" | "1:3" | "21:9" | "9:21";
    /** Each tier has its price. */
    resolution?: "1k" | "2k" | "4k";
}
/** GPT Image 2.5 Sunburst */
export interface GptImage25SunburstInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 16 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. 1:3 and 3:1 need a resolution of 2k or 4k. */
    size?: "auto" | "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3" | "5:4" | "4:5" | "2:1" | "1:2" | "3:1" | "1:3" | "21:9" | "9:21";
    /** Each tier has its price. */
    resolution?: "1k" | "2k" | "4k";
}
/** Grok Imagine Image */
export interface GrokImagineImageInput {
    /** What the image shows, or how to change the given one. */
    prompt: string;
    /** At most one image to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
}
/** Grok Imagine Image 1.5 (text only) */
export interface GrokImagineImage15Input {
    /** What the image shows, or how to change the given one. */
    prompt: string;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
}
/** Grok Imagine Image 2.0 */
export interface GrokImagineImage20Input {
    /** What the image shows, or how to change the given one. */
    prompt: string;
    /** At most one image to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "9:16" | "16:9";
}
/** Grok Imagine Video */
export interface GrokImagineVideoInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "3:2" | "2:3";
    /** Length in seconds. */
    duration?: 6 | 10 | 15 | 20 | 25 | 30;
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p";
    /** Images to start from. Without them, the video is made from the text alone. */
    urls?: Array<Media>;
}
/** Grok Imagine Video 1.5 */
export interface GrokImagineVideo15Input {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "3:2" | "2:3";
    /** Length in seconds. */
    duration?: 6 | 10 | 15;
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p";
    /** Images to start from. Without them, the video is made from the text alone. */
    urls?: Array<Media>;
}
/** Kling 2.6 */
export interface Kling26Input {
    /** What happens in the video. */
    prompt: string;
    /** Each tier has its price. */
    resolution?: "1080p";
    /** Length in seconds. */
    duration?: 5 | 10;
    /** Shape of the video. Ignored when it starts from an image. */
    aspectRatio?: "16:9" | "9:16" | "1:1";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** One image is the first frame, two are the first and the last. */
    imageUrls?: Array<Media>;
}
/** Kling 2.6 Motion Control */
export interface Kling26MotionControlInput {
    /** What else the video shows. */
    prompt?: string;
    /** Exactly one image of the figure: JPG or PNG, at most 10 MB. */
    imageUrls: Array<Media>;
    /** Exactly one video of the motion: MP4 or MOV, at most 100 MB. */
    videoUrls: Array<Media>;
    /** Which of the two the figure is turned like. */
    characterOrientation: "image" | "video";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
}
/** Kling 3.0 */
export interface Kling30Input {
    /** What happens in the video. */
    prompt: string;
    /** Each tier has its price. */
    resolution?: "720p" | "1080p" | "4k";
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. Ignored when it starts from an image. */
    aspectRatio?: "16:9" | "9:16" | "1:1";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** One image is the first frame, two are the first and the last. */
    imageUrls?: Array<Media>;
}
/** Kling 3.0 Motion Control */
export interface Kling30MotionControlInput {
    /** What else the video shows. */
    prompt?: string;
    /** Exactly one image of the figure: JPG or PNG, at most 10 MB. */
    imageUrls: Array<Media>;
    /** Exactly one video of the motion: MP4 or MOV, at most 100 MB. */
    videoUrls: Array<Media>;
    /** Which of the two the figure is turned like. */
    characterOrientation: "image" | "video";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
}
/** Kling 3.0 Turbo */
export interface Kling30TurboInput {
    /** What happens in the video. */
    prompt: string;
    /** Each tier has its price. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. Ignored when it starts from an image. */
    aspectRatio?: "16:9" | "9:16" | "1:1";
    /** One image is the first frame, two are the first and the last. */
    imageUrls?: Array<Media>;
}
/** Kling 4.0 */
export interface Kling40Input {
    /** What happens in the video. Required unless there are scenes. */
    prompt?: string;
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. Ignored with a source video and with scenes. */
    duration?: number;
    /** Shape of the video. Must be auto with a source video. */
    aspectRatio?: "auto" | "16:9" | "9:16" | "1:1" | "21:9";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Keep the sound of the source video. */
    keepAudio?: true;
}
/** Kling 4.0 Flash */
export interface Kling40FlashInput {
    /** What happens in the video. Required unless there are scenes. */
    prompt: string;
    /** Billed per second of each tier. */
    resolution?: "720p";
    /** Length in seconds. Ignored with a source video and with scenes. */
    duration?: number;
    /** Shape of the video. Must be auto with a source video. */
    aspectRatio?: "auto" | "16:9" | "9:16" | "1:1" | "21:9";
}
/** Kling O3 (3.0 Omni) */
export interface KlingO3Input {
    /** What happens in the video. */
    prompt: string;
    /** Each tier has its price. */
    resolution?: "720p" | "1080p" | "4k";
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. Ignored when it starts from an image. */
    aspectRatio?: "16:9" | "9:16" | "1:1";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** One image is the first frame, two are the first and the last. */
    imageUrls?: Array<Media>;
}
/** Midjourney */
export interface MidjourneyInput {
    /** The kind of job. */
    action?: "imagine" | "edits" | "blend" | "describe" | "upscale" | "variation" | "high-variation" | "low-variation" | "reroll" | "zoom" | "pan" | "inpaint" | "modal" | "remix-strong" | "remix-subtle";
    /** What the image shows. Required for imagine and edits. */
    prompt?: string;
    /** Images to work from. Required for blend and describe. */
    imageUrls?: Array<Media>;
    /** The task whose result a follow-up action works on. */
    parentTaskId?: string;
    /** Which of the four images, from the top left. */
    index?: number;
    /** A button of the earlier result, instead of index. */
    customId?: string;
    /** Each speed has its price. */
    speed?: "relax" | "fast" | "turbo";
    /** Where the image grows. Required for pan. */
    direction?: "left" | "right" | "up" | "down";
    /** How far to zoom out: 1 to 2. */
    zoomRatio?: number;
    /** An image of the part to change. */
    maskUrl?: Media;
    /** Shape of a blend of images. */
    dimensions?: "SQUARE" | "PORTRAIT" | "LANDSCAPE";
    /** Width to height, e.g. 16:9. */
    size?: string;
    /** How much work goes into it. */
    quality?: 0.25 | 0.5 | 1 | 2;
    /** A style of the model, e.g. raw. */
    style?: string;
    /** Version of the model. */
    version?: "8.1" | "7" | "6.1" | "5.2" | "5.1";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** What must not appear. */
    negativePrompt?: string;
    /** How strongly the model's own taste shows. */
    stylize?: number;
    /** How different the four images are. */
    chaos?: number;
    /** How unusual the image is. */
    weird?: number;
    /** Make a pattern that repeats without seams. */
    tile?: boolean;
    /** Use the model for anime. */
    niji?: boolean;
    /** How much given images count. */
    iw?: number;
    /** How much cref counts. */
    cw?: number;
    /** How much sref counts. */
    sw?: number;
    /** URL of a character to keep. */
    cref?: string;
    /** URL or code of a style to keep. */
    sref?: string;
    /** URL of an image whose depth to keep. */
    dref?: string;
    /** How much dref counts. */
    dw?: number;
    /** Run an imagine this often; each run is billed. */
    repeat?: number;
    /** Less of the model's own taste. */
    raw?: boolean;
    /** Quick and rough. */
    draft?: boolean;
    /** A larger image. */
    hd?: boolean;
    /** Stop early, at this percentage. */
    stop?: number;
    /** Further flags, as text. */
    extra?: string;
}
/** Midjourney Video */
export interface MidjourneyVideoInput {
    /** How the image moves. */
    prompt?: string;
    /** The image to set in motion. */
    imageUrls?: Array<Media>;
    /** The task one of whose images to set in motion. */
    parentTaskId?: string;
    /** Which of the four images; 0 is the first. */
    index?: number;
    /** Resolution, and whether the last frame is given too. */
    videoType?: "vid_1.1_i2v_480" | "vid_1.1_i2v_720" | "vid_1.1_i2v_start_end_480" | "vid_1.1_i2v_start_end_720";
    /** auto invents the motion; it needs parentTaskId and index. */
    animateMode?: "manual" | "auto";
    /** How much moves. */
    motion?: "low" | "high";
    /** How many to make; each is billed. */
    batchSize?: 1 | 2 | 4;
    /** The last frame, for the start_end types. */
    endUrl?: Media;
}
/** MiniMax H3 */
export interface MinimaxH3Input {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Up to 9 images. The first 5 are free, each further one is billed. */
    imageUrls?: Array<Media>;
    /** Up to 3 files, free. */
    audioUrls?: Array<Media>;
    /** Billed per second of each tier. */
    resolution?: "768p" | "2k";
    /** Length in seconds. */
    duration?: number;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** MiniMax H3 Max */
export interface MinimaxH3MaxInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Up to 9 images. The first 5 are free, each further one is billed. */
    imageUrls?: Array<Media>;
    /** Up to 3 files, free. */
    audioUrls?: Array<Media>;
    /** Billed per second of each tier. */
    resolution?: "480p" | "768p" | "1080p";
    /** Length in seconds. At most 10 at 1080p. */
    duration?: number;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Nano Banana 2 */
export interface NanoBanana2Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 14 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | "1:4" | "1:8" | "4:1" | "8:1";
    /** Each tier has its price. */
    resolution?: "512px" | "1K" | "2K" | "4K";
}
/** Nano Banana 2 Lite */
export interface NanoBanana2LiteInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 10 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9";
}
/** Nano Banana 2.1 */
export interface NanoBanana21Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 10 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | "1:4" | "1:8" | "4:1" | "8:1";
    /** Each tier has its price. */
    resolution?: "1K" | "2K" | "4K";
}
/** Nano Banana Pro */
export interface NanoBananaProInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Up to 8 images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9";
    /** Each tier has its price. */
    resolution?: "1K" | "2K" | "4K";
}
/** PixVerse V6 */
export interface PixverseV6Input {
    /** What happens in the video. */
    prompt: string;
    /** Billed per second of each tier. */
    resolution?: "360p" | "540p" | "720p" | "1080p";
    /** Length in seconds. A transition has 5 or 8. */
    duration?: number;
    /** Shape of the video, where it is made from text or references. */
    size?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "2:3" | "3:2" | "21:9";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** What must not appear. */
    negativePrompt?: string;
    /** Make sound that fits the video. */
    audio?: boolean;
    /** Put the vendor's mark on the video. */
    watermark?: boolean;
    /** How fast things move. */
    motionMode?: "normal";
    /** Cut the video from several shots. Only from text or an image. */
    generateMultiClipSwitch?: boolean;
    /** The image to start from; the first one is used. */
    imageUrls?: Array<Media>;
    /** Start of a transition, with lastFrameImage. */
    firstFrameImage?: Media;
    /** End of a transition, with firstFrameImage. */
    lastFrameImage?: Media;
    /** 1 to 7 images of what appears in the video. */
    imgReferences?: Array<Media>;
    /** The id of an earlier task of this model. */
    extendFromTaskId?: string;
}
/** Qwen Image 3.0 */
export interface QwenImage3Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to edit; the prompt may speak of them by their order. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3";
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Qwen Image 3.0 Pro */
export interface QwenImage3ProInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to edit; the prompt may speak of them by their order. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3";
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Seedance 1.0 Pro Fast */
export interface Seedance10ProFastInput {
    /** What happens in the video. Required without an image. */
    prompt?: string;
    /** Length in seconds. */
    duration?: 4 | 8 | 12;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** One image. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with imageUrls. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Keep the camera still. */
    cameraFixed?: boolean;
}
/** Seedance 1.5 Pro */
export interface Seedance15ProInput {
    /** What happens in the video. Required without an image. */
    prompt?: string;
    /** Length in seconds. */
    duration?: 4 | 8 | 12;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Up to 2 images. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with imageUrls. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Keep the camera still. */
    cameraFixed?: boolean;
}
/** Seedance 2.0 */
export interface Seedance20Input {
    /** What happens in the video. Required without reference images or videos. */
    prompt?: string;
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. */
    size?: "adaptive" | "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p" | "4k";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Let the provider check the content first. */
    nsfwCheck?: boolean;
    /** Give the last frame as an image too. */
    returnLastFrame?: boolean;
    /** Up to 9 images. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with other reference media. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 3 videos, together more than 1.8 s and less than 15.2 s. */
    videoUrls?: Array<Media>;
    /** Up to 3 files of 15 s together. Needs imageUrls or videoUrls. */
    audioUrls?: Array<Media>;
    /** What the model may use: a web search. */
    tools?: Array<Record<string, unknown>>;
}
/** Seedance 2.0 Fast */
export interface Seedance20FastInput {
    /** What happens in the video. Required without reference images or videos. */
    prompt?: string;
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. */
    size?: "adaptive" | "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Let the provider check the content first. */
    nsfwCheck?: boolean;
    /** Give the last frame as an image too. */
    returnLastFrame?: boolean;
    /** Up to 9 images. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with other reference media. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 3 videos, together more than 1.8 s and less than 15.2 s. */
    videoUrls?: Array<Media>;
    /** Up to 3 files of 15 s together. Needs imageUrls or videoUrls. */
    audioUrls?: Array<Media>;
    /** What the model may use: a web search. */
    tools?: Array<Record<string, unknown>>;
}
/** Seedance 2.0 Mini */
export interface Seedance20MiniInput {
    /** What happens in the video. Required without reference images or videos. */
    prompt?: string;
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. */
    size?: "adaptive" | "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Let the provider check the content first. */
    nsfwCheck?: boolean;
    /** Give the last frame as an image too. */
    returnLastFrame?: boolean;
    /** Up to 9 images. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with other reference media. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 3 videos, together more than 1.8 s and less than 15.2 s. */
    videoUrls?: Array<Media>;
    /** Up to 3 files of 15 s together. Needs imageUrls or videoUrls. */
    audioUrls?: Array<Media>;
    /** What the model may use: a web search. */
    tools?: Array<Record<string, unknown>>;
}
/** Seedance 2.5 */
export interface Seedance25Input {
    /** What happens in the video. */
    prompt: string;
    /** Length in seconds. */
    duration?: number;
    /** Shape of the video. Must be adaptive with a first or last frame. */
    size?: "adaptive" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Let the provider check the content first. */
    nsfwCheck?: boolean;
    /** Put the vendor's mark on the video. */
    watermark?: boolean;
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Type of the result. */
    outputFormat?: "mp4" | "mov";
    /** What to do with the reference media: use it, or extend the video. */
    omniReferenceTaskType?: "auto" | "reference" | "extend";
    /** Up to 30 images, together with those of imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Images as first frame, last frame or reference. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 10 videos of 2 to 30 s, 30 s together. */
    videoUrls?: Array<Media>;
    /** Up to 10 files, 30 s together. */
    audioUrls?: Array<Media>;
    /** Give the last frame as an image too. */
    returnLastFrame?: boolean;
    /** What the model may use: a web search. */
    tools?: Array<Record<string, unknown>>;
}
/** Seedream 4.0 */
export interface Seedream40Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
    /** Each tier has its price. */
    resolution?: "1K" | "2K" | "4K";
    /** Type of the result. */
    outputFormat?: "jpeg";
    /** How thoroughly the prompt is reworked before the image is made. */
    promptOptimizeMode?: "standard" | "fast";
    /** Put the vendor's mark on the image. */
    watermark?: boolean;
}
/** Seedream 4.5 */
export interface Seedream45Input {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
    /** Each tier has its price. */
    resolution?: "2K" | "4K";
    /** Type of the result. */
    outputFormat?: "jpeg" | "png";
    /** How thoroughly the prompt is reworked before the image is made. */
    promptOptimizeMode?: "standard";
    /** Put the vendor's mark on the image. */
    watermark?: boolean;
}
/** Seedream 5.0 Flash */
export interface Seedream5FlashInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9";
    /** Each tier has its price. */
    resolution?: "1K" | "1.5K" | "2K";
    /** Type of the result. */
    outputFormat?: "jpeg" | "png";
    /** Put the vendor's mark on the image. */
    watermark?: false;
}
/** Seedream 5.0 Lite */
export interface Seedream5LiteInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
    /** Each tier has its price. */
    resolution?: "2K" | "3K" | "4K";
    /** Type of the result. */
    outputFormat?: "jpeg" | "png";
    /** How thoroughly the prompt is reworked before the image is made. */
    promptOptimizeMode?: "standard";
    /** Put the vendor's mark on the image. */
    watermark?: boolean;
}
/** Seedream 5.0 Pro */
export interface Seedream5ProInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9";
    /** Each tier has its price. */
    resolution?: "1K" | "1.5K" | "2K";
    /** Type of the result. */
    outputFormat?: "jpeg" | "png";
    /** Put the vendor's mark on the image. */
    watermark?: false;
}
/** Suno */
export interface SunoInput {
    /** The kind of job. */
    action?: "music" | "extend" | "cover" | "add-instrumental" | "add-vocals" | "sound" | "stems" | "stems-all" | "wav" | "lyrics" | "voice" | "timestamped-lyrics" | "boost-style" | "music-cover" | "replace-section" | "music-video" | "inspo" | "upload" | "remaster" | "add-stem" | "vox" | "remove-section" | "crop" | "fade-in" | "fade-out" | "adjust-speed" | "concat" | "mashup" | "sample" | "midi" | "bpm";
    /** What the song is about; with styles or title, its lyrics. */
    prompt?: string;
    /** Genres, moods, instruments, separated by commas. */
    styles?: string;
    /** Title of the track. */
    title?: string;
    /** Make music without a voice. */
    instrumental?: boolean;
    /** Write lyrics from the prompt instead of singing it. */
    autoLyrics?: boolean;
    /** Styles to keep out, separated by commas. */
    negativeTags?: string;
    /** Version of the music engine. */
    mv?: "v3.5" | "v4.0" | "v4.5" | "v4.5+" | "v5.0" | "v5.5";
    /** How closely to follow the styles. */
    styleWeight?: number;
    /** How far to go from the usual. */
    weirdnessConstraint?: number;
    /** How closely to follow the given audio. */
    audioWeight?: number;
    /** Preferred voice. */
    vocalGender?: "Male" | "Female";
    /** How far a variation goes. */
    variationCategory?: "subtle" | "normal" | "high";
    /** Tracks to work from. */
    audioUrls?: Array<Media>;
    /** The task whose track to work on. */
    parentTaskId?: string;
    /** Which track of that task. */
    audioId?: string;
    /** A track from elsewhere, in place of an earlier task. */
    audioUrl?: Media;
    /** The voice to learn. */
    voiceAudioUrl?: Media;
    /** Shape of a music video. */
    aspectRatio?: "9:16";
    /** Of a video. */
    quality?: "compact";
    /** Start of the section in seconds; for extend, where to go on from. */
    startS?: number;
    /** End of the section in seconds, after startS. */
    endS?: number;
    /** Length in seconds. */
    durationS?: number;
    /** Beats per minute. */
    bpm?: number;
    /** Musical key, e.g. C minor. */
    key?: string;
    /** Of a sound. */
    type?: "one-shot" | "loop";
    /** The stem to take out. */
    stemType?: "lead_vocal";
    /** 1 keeps the speed. */
    speed?: number;
    /** Change the speed without changing the pitch. */
    keepPitch?: boolean;
    /** Exactly 2 tasks to mash up. */
    sourceTaskIds?: Array<string>;
    /** One audio id for each source task. */
    audioIds?: Array<string>;
    /** Deprecated and ignored. */
    voxAudioId?: string;
}
/** Suno Custom Model */
export interface SunoCustomModelInput {
    /** Name of the engine. */
    name: string;
    /** 6 to 24 tracks: MP3, WAV or M4A. */
    audioUrls: Array<Media>;
}
/** Test image */
export interface TestImageInput {
    /** What the image shows, or how to change the given one. */
    prompt: string;
    /** At most one image to work from. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
}
/** Test: Kling 4 */
export interface TestKling4Input {
    /** What happens in the video. Required unless there are scenes. */
    prompt?: string;
    /** What the video is made from. Leave out to make it from the text alone. */
    videoMode?: "elements" | "start_end_frame" | "transform" | "video_reference";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. Ignored with a source video and with scenes. */
    duration?: number;
    /** Shape of the video. Must be auto with a source video. */
    aspectRatio?: "auto" | "16:9" | "9:16" | "1:1" | "21:9";
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Keep the sound of the source video. */
    keepAudio?: boolean;
    /** Up to 10 images, in the modes elements, transform and video_reference. */
    imageUrls?: Array<Media>;
    /** Which of imageUrls the video starts with; 1 is the first. */
    startImageIndex?: number;
    /** Up to 7 who or what appears, at most 3 of them shown by a video. */
    elements?: Array<Record<string, unknown>>;
    /** Required in mode start_end_frame. */
    startFrameUrl?: Media;
    /** Up to 8 frames between the first and the last. */
    keyframeUrls?: Array<Media>;
    /** The last frame, in mode start_end_frame. */
    endFrameUrl?: Media;
    /** transform: 3 to 10 s, short side at least 700 pixels. video_reference: 3 to 30 s. */
    videoUrl?: Media;
    /** 2 to 6 scenes of 3 to 30 s together, each with its prompt. Not with prompt. */
    multiShots?: Array<Record<string, unknown>>;
}
/** Test: Omni */
export interface TestOmniInput {
    /** What happens in the video. */
    prompt: string;
    /** The first frame and, if you like, the last. Not with references. */
    imageUrls?: Array<Media>;
    /** Up to 7 images, up to 5 with a reference video. Not with imageUrls. */
    referenceImageUrls?: Array<Media>;
    /** One video of 3 to 10 s. The result is as long. Not with imageUrls. */
    referenceVideoUrls?: Array<Media>;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Length in seconds. Ignored with a source video. */
    duration?: 4 | 6 | 8 | 10;
    /** 1080p and 4k are upscaled. */
    resolution?: "360p" | "720p" | "1080p" | "4k";
}
/** Test: Seedance 1 */
export interface TestSeedance1Input {
    /** What happens in the video. Required without an image. */
    prompt?: string;
    /** Length in seconds. */
    duration?: 4 | 8 | 12;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Make sound that fits the video. */
    generateAudio?: boolean;
    /** Up to 9 images. Not with imageWithRoles. */
    imageUrls?: Array<Media>;
    /** Up to 2 images, each with its role. Not with imageUrls. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Keep the camera still. */
    cameraFixed?: boolean;
}
/** Test: Sora 2 */
export interface TestSora2Input {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** At most one image to start from. */
    urls?: Array<Media>;
    /** Length in seconds. */
    duration?: 4 | 8 | 12 | 16 | 20;
}
/** Test: Suno */
export interface TestSunoInput {
    /** The kind of job. */
    action?: "music" | "extend" | "cover" | "add-instrumental" | "add-vocals" | "sound" | "stems" | "stems-all" | "wav" | "lyrics" | "voice" | "timestamped-lyrics" | "boost-style" | "music-cover" | "replace-section" | "music-video" | "inspo" | "upload" | "remaster" | "add-stem" | "vox" | "remove-section" | "crop" | "fade-in" | "fade-out" | "adjust-speed" | "concat" | "mashup" | "sample" | "midi" | "bpm";
    /** What the song is about; with styles or title, its lyrics. */
    prompt?: string;
    /** Genres, moods, instruments, separated by commas. */
    styles?: string;
    /** Title of the track. */
    title?: string;
    /** Make music without a voice. */
    instrumental?: boolean;
    /** Write lyrics from the prompt instead of singing it. */
    autoLyrics?: boolean;
    /** Styles to keep out, separated by commas. */
    negativeTags?: string;
    /** Version of the music engine. */
    mv?: "v3.5" | "v4.0" | "v4.5" | "v4.5+" | "v5.0" | "v5.5" | "custom";
    /** How closely to follow the styles. */
    styleWeight?: number;
    /** How far to go from the usual. */
    weirdnessConstraint?: number;
    /** How closely to follow the given audio. */
    audioWeight?: number;
    /** Preferred voice. */
    vocalGender?: "Male" | "Female";
    /** How far a variation goes. */
    variationCategory?: "subtle" | "normal" | "high";
    /** Tracks to work from. */
    audioUrls?: Array<Media>;
    /** The task whose track to work on. */
    parentTaskId?: string;
    /** Which track of that task. */
    audioId?: string;
    /** A track from elsewhere, in place of an earlier task. */
    audioUrl?: Media;
    /** Image of a music video. */
    imageUrl?: Media;
    /** The voice to learn. */
    voiceAudioUrl?: Media;
    /** The phrase, read by the same voice. */
    verificationAudioUrl?: Media;
    /** The phrase that was read. */
    phraseId?: string;
    /** Name of the voice or model. */
    name?: string;
    /** Describes the voice. */
    description?: string;
    /** How well the voice sings. */
    singerSkillLevel?: "Beginner" | "Intermediate" | "Advanced" | "Professional";
    /** Shape of a music video. */
    aspectRatio?: "9:16" | "16:9" | "1:1" | "3:4" | "4:3";
    /** 1 to 4 hex colors. */
    backgroundColors?: Array<string>;
    /** Of a video. */
    quality?: "compact" | "high" | "max";
    /** Start of the section in seconds; for extend, where to go on from. */
    startS?: number;
    /** End of the section in seconds, after startS. */
    endS?: number;
    /** Length in seconds. */
    durationS?: number;
    /** Beats per minute. */
    bpm?: number;
    /** Musical key, e.g. C minor. */
    key?: string;
    /** Of a sound. */
    type?: "one-shot" | "loop";
    /** The stem to take out. */
    stemType?: string;
    /** 1 keeps the speed. */
    speed?: number;
    /** Change the speed without changing the pitch. */
    keepPitch?: boolean;
    /** Exactly 2 tasks to mash up. */
    sourceTaskIds?: Array<string>;
    /** One audio id for each source task. */
    audioIds?: Array<string>;
    /** Deprecated and ignored. */
    voxAudioId?: string;
}
/** Test video */
export interface TestVideoInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Images to start from. Without them, the video is made from the text alone. */
    urls?: Array<Media>;
    /** Length in seconds. */
    duration?: 10 | 15 | 25;
}
/** Veo 3.1 Fast */
export interface Veo31FastInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** First and last frame, or references: see generationType. */
    urls?: Array<Media>;
    /** Each tier has its price. */
    resolution?: "720p" | "1080p" | "4k";
    /** frame: the first and the last frame. reference: what appears in the video. */
    generationType?: "frame" | "reference";
}
/** Veo 3.1 Lite */
export interface Veo31LiteInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** Each tier has its price. */
    resolution?: "720p" | "1080p" | "4k";
}
/** Veo 3.1 Quality */
export interface Veo31QualityInput {
    /** What happens in the video. */
    prompt: string;
    /** Shape of the video. */
    aspectRatio?: "16:9" | "9:16";
    /** First and last frame, or references: see generationType. */
    urls?: Array<Media>;
    /** Each tier has its price. */
    resolution?: "720p" | "1080p" | "4k";
    /** frame: the first and the last frame. reference: what appears in the video. */
    generationType?: "frame";
}
/** Wan 2.7 Edit Video */
export interface Wan27EditVideoInput {
    /** What happens in the video. Required without media. */
    prompt?: string;
    /** The video that the prompt changes. */
    editVideoUrl: Media;
    /** An image that the edit refers to. */
    referenceImageUrl?: Media;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. 0 keeps the length of a video to edit. */
    duration?: 0 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
    /** What becomes of the video's sound. */
    audioSetting?: string;
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Refuse what the provider's checker finds unsafe. */
    enableSafetyChecker?: boolean;
}
/** Wan 2.7 Image */
export interface Wan27ImageInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to edit; the prompt may speak of them by their order. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3";
    /** Exact width in pixels, with height; takes the place of the aspect ratio. */
    width?: number;
    /** Exact height in pixels, with width; takes the place of the aspect ratio. */
    height?: number;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Wan 2.7 Image Pro */
export interface Wan27ImageProInput {
    /** What the image shows, or how to change the given ones. */
    prompt: string;
    /** Images to edit; the prompt may speak of them by their order. */
    urls?: Array<Media>;
    /** Shape of the image. */
    size?: "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3";
    /** Exact width in pixels, with height; takes the place of the aspect ratio. */
    width?: number;
    /** Exact height in pixels, with width; takes the place of the aspect ratio. */
    height?: number;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Wan 2.7 Image to Video */
export interface Wan27ImageToVideoInput {
    /** What happens in the video. Required without media. */
    prompt?: string;
    /** The first frame and, if you like, the last. */
    imageUrls?: Array<Media>;
    /** Sound that the video follows. Not with continueVideoUrl. */
    audioUrl?: Media;
    /** A video of 2 to 10 s. Not with imageUrls or audioUrl. */
    continueVideoUrl?: Media;
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Tell the story in several shots. */
    multiShots?: boolean;
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Refuse what the provider's checker finds unsafe. */
    enableSafetyChecker?: boolean;
}
/** Wan 2.7 Reference to Video */
export interface Wan27ReferenceToVideoInput {
    /** What happens in the video. Required without media. */
    prompt?: string;
    /** Images of who or what appears. */
    referenceImageUrls?: Array<Media>;
    /** Videos of who or what appears. */
    referenceVideoUrls?: Array<Media>;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Tell the story in several shots. */
    multiShots?: boolean;
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Refuse what the provider's checker finds unsafe. */
    enableSafetyChecker?: boolean;
}
/** Wan 2.7 Text to Video */
export interface Wan27TextToVideoInput {
    /** What happens in the video. Required without media. */
    prompt: string;
    /** Sound that the video follows. Not with continueVideoUrl. */
    audioUrl?: Media;
    /** Shape of the video. */
    size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
    /** Billed per second of each tier. */
    resolution?: "720p" | "1080p";
    /** Length in seconds. */
    duration?: 5 | 10 | 15;
    /** The same seed and input give a similar result. */
    seed?: number;
    /** Refuse what the provider's checker finds unsafe. */
    enableSafetyChecker?: boolean;
}
/** Wan 3.0 */
export interface Wan30Input {
    /** What happens in the video. Required without media. */
    prompt?: string;
    /** Up to 10 images: references, or frames if generationType says so. */
    imageUrls?: Array<Media>;
    /** Up to 10 images, as frames or as references, not both. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result. */
    videoUrls?: Array<Media>;
    /** Up to 5 files. */
    audioUrls?: Array<Media>;
    /** A document of at most 100 MB and 50 pages to make the video from. Not with linkUrl. */
    fileUrl?: Media;
    /** A page to make the video from. Not with fileUrl. */
    linkUrl?: string;
    /** frame: the first and the last frame. reference: what appears in the video. */
    generationType?: "frame" | "reference";
    /** Shape of the video. */
    size?: "adaptive" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Make sound that fits the video. */
    audio?: boolean;
    /** Put the vendor's mark on the video. */
    watermark?: boolean;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Wan 3.0 Prime */
export interface Wan30PrimeInput {
    /** What happens in the video. Required without media. */
    prompt?: string;
    /** Up to 10 images: references, or frames if generationType says so. */
    imageUrls?: Array<Media>;
    /** Up to 10 images, as frames or as references, not both. */
    imageWithRoles?: Array<Record<string, unknown>>;
    /** Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result. */
    videoUrls?: Array<Media>;
    /** Up to 5 files. */
    audioUrls?: Array<Media>;
    /** A document of at most 100 MB and 50 pages to make the video from. Not with linkUrl. */
    fileUrl?: Media;
    /** A page to make the video from. Not with fileUrl. */
    linkUrl?: string;
    /** frame: the first and the last frame. reference: what appears in the video. */
    generationType?: "frame" | "reference";
    /** Shape of the video. */
    size?: "adaptive" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16";
    /** Billed per second of each tier. */
    resolution?: "480p" | "720p" | "1080p";
    /** Length in seconds. */
    duration?: number;
    /** Make sound that fits the video. */
    audio?: boolean;
    /** Put the vendor's mark on the video. */
    watermark?: boolean;
    /** The same seed and input give a similar result. */
    seed?: number;
}
/** Z-Image Turbo */
export interface ZImageInput {
    /** What the image shows, or how to change the given one. */
    prompt: string;
    /** Exactly one image to edit. Without it, a new image is made. */
    urls?: Array<Media>;
    /** Shape of the image. Required without a reference image. */
    size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16";
    /** Refuse results that the provider's checker finds unsafe. */
    enableSafetyChecker?: boolean;
}
/** The input of each media model, by its id. */
export interface Inputs {
    "flux-3-image": Flux3ImageInput;
    "flux-3-klein": Flux3KleinInput;
    "flux-3-video": Flux3VideoInput;
    "gemini-omni-1.1-flash": GeminiOmni11FlashInput;
    "gpt-image-2": GptImage2Input;
    "gpt-image-2.5-flare": GptImage25FlareInput;
    "gpt-image-2.5-sunburst": GptImage25SunburstInput;
    "grok-imagine-image": GrokImagineImageInput;
    "grok-imagine-image-1.5": GrokImagineImage15Input;
    "grok-imagine-image-2.0": GrokImagineImage20Input;
    "grok-imagine-video": GrokImagineVideoInput;
    "grok-imagine-video-1.5": GrokImagineVideo15Input;
    "kling-2.6": Kling26Input;
    "kling-2.6-motion-control": Kling26MotionControlInput;
    "kling-3.0": Kling30Input;
    "kling-3.0-motion-control": Kling30MotionControlInput;
    "kling-3.0-turbo": Kling30TurboInput;
    "kling-4.0": Kling40Input;
    "kling-4.0-flash": Kling40FlashInput;
    "kling-o3": KlingO3Input;
    "midjourney": MidjourneyInput;
    "midjourney-video": MidjourneyVideoInput;
    "minimax-h3": MinimaxH3Input;
    "minimax-h3-max": MinimaxH3MaxInput;
    "nano-banana-2": NanoBanana2Input;
    "nano-banana-2-lite": NanoBanana2LiteInput;
    "nano-banana-2.1": NanoBanana21Input;
    "nano-banana-pro": NanoBananaProInput;
    "pixverse-v6": PixverseV6Input;
    "qwen-image-3": QwenImage3Input;
    "qwen-image-3-pro": QwenImage3ProInput;
    "seedance-1.0-pro-fast": Seedance10ProFastInput;
    "seedance-1.5-pro": Seedance15ProInput;
    "seedance-2.0": Seedance20Input;
    "seedance-2.0-fast": Seedance20FastInput;
    "seedance-2.0-mini": Seedance20MiniInput;
    "seedance-2.5": Seedance25Input;
    "seedream-4.0": Seedream40Input;
    "seedream-4.5": Seedream45Input;
    "seedream-5-flash": Seedream5FlashInput;
    "seedream-5-lite": Seedream5LiteInput;
    "seedream-5-pro": Seedream5ProInput;
    "suno": SunoInput;
    "suno-custom-model": SunoCustomModelInput;
    "test-image": TestImageInput;
    "test-kling-4": TestKling4Input;
    "test-omni": TestOmniInput;
    "test-seedance-1": TestSeedance1Input;
    "test-sora-2": TestSora2Input;
    "test-suno": TestSunoInput;
    "test-video": TestVideoInput;
    "veo-3.1-fast": Veo31FastInput;
    "veo-3.1-lite": Veo31LiteInput;
    "veo-3.1-quality": Veo31QualityInput;
    "wan-2.7-edit-video": Wan27EditVideoInput;
    "wan-2.7-image": Wan27ImageInput;
    "wan-2.7-image-pro": Wan27ImageProInput;
    "wan-2.7-image-to-video": Wan27ImageToVideoInput;
    "wan-2.7-reference-to-video": Wan27ReferenceToVideoInput;
    "wan-2.7-text-to-video": Wan27TextToVideoInput;
    "wan-3.0": Wan30Input;
    "wan-3.0-prime": Wan30PrimeInput;
    "z-image": ZImageInput;
}
