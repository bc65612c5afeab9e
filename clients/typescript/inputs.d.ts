// The input of each model, generated from the catalog. The service checks every input.

/** A URL, a data URI, the id of an upload, bytes, or a local file (see `fromPath`). */
export type Media = string | Blob | Uint8Array;

/** Fields that several models have. */
interface ImgAInput {
  /** A description of the image, or of the changes to the given images. */
  prompt: string;
  /** Ratio of width to height. */
  size?: "auto" | "21:9" | "2:1" | "16:9" | "3:2" | "7:5" | "4:3" | "5:4" | "1:1" | "4:5" | "3:4" | "5:7" | "2:3" | "9:16" | "1:2" | "9:21";
}

/** Fields that several models have. */
interface VidHInput {
  /** A description of the video. */
  prompt: string;
  /** The first and optionally the last frame. Not with references. */
  imageUrls?: Array<Media>;
  /** Up to 7 images, up to 5 with a reference video. Not with imageUrls. */
  referenceImageUrls?: Array<Media>;
  /** Ratio of width to height. */
  aspectRatio?: "16:9" | "9:16";
  /** Length in seconds. Ignored with a source video. */
  duration?: 4 | 6 | 8 | 10;
  /** 1080p and 4k are upscaled. */
  resolution?: "360p" | "720p" | "1080p" | "4k";
}

/** Fields that several models have. */
interface ImgBInput {
  /** A description of the image, or of the changes to the given images. */
  prompt: string;
  /** Up to 16 images to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. 1:3 and 3:1 need a resolution of 2k or 4k. */
  size?: "auto" | "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3" | "5:4" | "4:5" | "2:1" | "1:2" | "3:1" | "1:3" | "21:9" | "9:21";
  /** The price depends on the resolution. */
  resolution?: "1k" | "2k" | "4k";
  /** More details take more time. `auto` has the price of `medium`. */
  quality?: "auto" | "low" | "medium" | "high";
  /** File type of the result. */
  outputFormat?: "png" | "jpeg" | "webp";
  /** Quality of a JPEG or WebP file in percent. Needs `outputFormat`. */
  outputCompression?: number;
  /** How strictly the vendor checks the content. */
  moderation?: "auto" | "low";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface ImgCInput {
  /** A description of the image, or of the changes to the given image. */
  prompt: string;
}

/** Fields that several models have. */
interface VidGInput {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. */
  size?: "16:9" | "9:16" | "1:1" | "3:2" | "2:3";
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p";
  /** Images to start from. Without them, the video is generated only from the text. */
  urls?: Array<Media>;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface Kind3dInput {
  /** A description of the object. Not with an image. */
  prompt?: string;
  /** Exactly one image of the object: JPG, PNG or WebP, at most 8 MB. Not with a prompt. */
  imageUrls?: Array<Media>;
  /** The speed and the details, on which the price depends. */
  quality?: "rapid" | "pro";
  /** Whether the object has colours. */
  texture?: boolean;
  /** Metal, roughness and normal maps. The price is higher. */
  pbr?: boolean;
}

/** Fields that several models have. */
interface VidJInput {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. Ignored if the video starts from an image. */
  aspectRatio?: "16:9" | "9:16" | "1:1";
  /** One image is the first frame, two are the first and the last. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface VidKInput {
  /** Other content of the video. */
  prompt?: string;
  /** Exactly one image of the character: JPG or PNG, at most 10 MB. */
  imageUrls: Array<Media>;
  /** Exactly one video of the motion: MP4 or MOV, at most 100 MB. */
  videoUrls: Array<Media>;
  /** Take the character's orientation from the image or the video. */
  characterOrientation: "image" | "video";
  /** The price per second depends on the resolution. */
  resolution?: "720p" | "1080p";
}

/** Fields that several models have. */
interface VidLInput {
  /** Length in seconds. Ignored with a source video and with scenes. */
  duration?: number;
  /** Ratio of width to height. Must be auto with a source video. */
  aspectRatio?: "auto" | "16:9" | "9:16" | "1:1" | "21:9";
}

/** Fields that several models have. */
interface VidMInput {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. */
  aspectRatio?: "16:9" | "9:16";
  /** Up to 3 files, free of charge. */
  audioUrls?: Array<Media>;
  /** The same seed and input return a similar result. */
  seed?: number;
}

/** Fields that several models have. */
interface ImgDInput {
  /** A description of the image, or of the changes to the given images. */
  prompt: string;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface ImgGInput {
  /** A description of the image, or of the changes to the given images. */
  prompt: string;
  /** Images to edit. The prompt can refer to them by their order. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "16:9" | "9:16" | "4:3" | "3:4" | "3:2" | "2:3";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface VidFInput {
  /** Length in seconds. */
  duration?: 4 | 8 | 12;
  /** Ratio of width to height. */
  size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p" | "1080p";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Up to 2 images, each with its role. Not with imageUrls. */
  imageWithRoles?: Array<Record<string, unknown>>;
  /** Keep the camera still. */
  cameraFixed?: boolean;
}

/** Fields that several models have. */
interface VidDInput {
  /** A description of the video. Required without reference images or videos. */
  prompt?: string;
  /** Length in seconds. */
  duration?: number;
  /** Ratio of width to height. */
  size?: "adaptive" | "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Generate sound for the video. */
  generateAudio?: boolean;
  /** Have the provider check the content first. */
  nsfwCheck?: boolean;
  /** Also return the last frame as an image. */
  returnLastFrame?: boolean;
  /** Up to 9 images. Not with imageWithRoles. */
  imageUrls?: Array<Media>;
  /** Up to 2 images, each with its role. Not with other reference media. */
  imageWithRoles?: Array<Record<string, unknown>>;
  /** Up to 3 videos, together more than 1.8 s and less than 15.2 s. */
  videoUrls?: Array<Media>;
  /** Up to 3 files, 15 s together. Needs imageUrls or videoUrls. */
  audioUrls?: Array<Media>;
  /** Tools for the model: a web search. */
  tools?: Array<Record<string, unknown>>;
}

/** Fields that several models have. */
interface ImgEInput {
  /** A description of the image, or of the changes to the given images. */
  prompt: string;
  /** Images to use as a reference. */
  urls?: Array<Media>;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Fields that several models have. */
interface MusicInput {
  /** The kind of job. */
  action?: "music" | "extend" | "cover" | "add-instrumental" | "add-vocals" | "sound" | "stems" | "stems-all" | "wav" | "lyrics" | "voice" | "timestamped-lyrics" | "boost-style" | "music-cover" | "replace-section" | "music-video" | "inspo" | "upload" | "remaster" | "add-stem" | "vox" | "remove-section" | "crop" | "fade-in" | "fade-out" | "adjust-speed" | "concat" | "mashup" | "sample" | "midi" | "bpm";
  /** The subject of the song; with styles or title, its lyrics. */
  prompt?: string;
  /** Genres, moods, instruments, separated by commas. */
  styles?: string;
  /** Title of the track. */
  title?: string;
  /** Generate music without vocals. */
  instrumental?: boolean;
  /** Write lyrics from the prompt, instead of using it as lyrics. */
  autoLyrics?: boolean;
  /** Styles to avoid, separated by commas. */
  negativeTags?: string;
  /** How closely to follow the styles. */
  styleWeight?: number;
  /** Higher values return more unusual music. */
  weirdnessConstraint?: number;
  /** How closely to follow the given audio. */
  audioWeight?: number;
  /** Preferred voice. */
  vocalGender?: "Male" | "Female";
  /** Strength of a variation. */
  variationCategory?: "subtle" | "normal" | "high";
  /** Tracks to use. */
  audioUrls?: Array<Media>;
  /** The task with the track to use. */
  parentTaskId?: string;
  /** The id of a track of that task. */
  audioId?: string;
  /** URL of a track, instead of an earlier task. */
  audioUrl?: Media;
  /** A recording of the voice to copy. */
  voiceAudioUrl?: Media;
  /** A recording of the phrase, read by the same voice. */
  verificationAudioUrl?: Media;
  /** The id of the phrase, from the output of an earlier voice task. */
  phraseId?: string;
  /** Name of the voice or model. */
  name?: string;
  /** Description of the voice. */
  description?: string;
  /** Singing skill of the voice. */
  singerSkillLevel?: "Beginner" | "Intermediate" | "Advanced" | "Professional";
  /** Start of the section in seconds; for extend, the time at which the extension starts. */
  startS?: number;
  /** End of the section in seconds, after startS. */
  endS?: number;
  /** Length in seconds. */
  durationS?: number;
  /** Beats per minute. */
  bpm?: number;
  /** Musical key, e.g. C minor. */
  key?: string;
  /** Type of a sound. */
  type?: "one-shot" | "loop";
  /** 1 is the original speed. */
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

/** Fields that several models have. */
interface UpscaleImageInput {
  /** Exactly one image: JPG, PNG or WebP, at most 10 MB. */
  imageUrls: Array<Media>;
  /** The factor for width and height. 1 only improves the details. */
  upscaleFactor?: 1 | 2 | 4 | 8;
}

/** Fields that several models have. */
interface VidCInput {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. */
  aspectRatio?: "16:9" | "9:16";
  /** The price depends on the resolution. */
  resolution?: "720p" | "1080p" | "4k";
}

/** Fields that several models have. */
interface VidOInput {
  /** The price per second depends on the resolution. */
  resolution?: "720p" | "1080p";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Refuse content that the provider's checker finds unsafe. */
  enableSafetyChecker?: boolean;
}

/** Fields that several models have. */
interface VidPInput {
  /** A description of the video. Required without media. */
  prompt?: string;
  /** Up to 10 images: references, or frames if generationType says so. */
  imageUrls?: Array<Media>;
  /** Up to 10 images, as frames or as references, not both. */
  imageWithRoles?: Array<Record<string, unknown>>;
  /** Up to 5 videos of 1 to 15 s, 15 s together; at most 30 s with the result. */
  videoUrls?: Array<Media>;
  /** Up to 5 files. */
  audioUrls?: Array<Media>;
  /** A document for the video, of at most 100 MB and 50 pages. Not with linkUrl. */
  fileUrl?: Media;
  /** A web page for the video. Not with fileUrl. */
  linkUrl?: string;
  /** frame: the first and the last frame. reference: people or things that appear in the video. */
  generationType?: "frame" | "reference";
  /** Ratio of width to height. */
  size?: "adaptive" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16";
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p" | "1080p";
  /** Length in seconds. */
  duration?: number;
  /** Generate sound for the video. */
  audio?: boolean;
  /** Add the vendor's watermark to the video. */
  watermark?: boolean;
  /** The same seed and input return a similar result. */
  seed?: number;
}

/** Bria RMBG 2.0 */
export interface BriaRmbg20Input {
  /** Exactly one image: JPG, PNG or WebP, at most 10 MB. */
  imageUrls: Array<Media>;
}

/** ByteDance Video Upscaler */
export interface BytedanceVideoUpscalerInput {
  /** Exactly one video: MP4 or MOV, at most 600 s and 500 MB. */
  videoUrls: Array<Media>;
  /** The price per second depends on the resolution. */
  resolution?: "1080p" | "2k" | "4k";
}

/** FLUX 3 Image */
export interface Flux3ImageInput extends ImgAInput {
  /** Up to 10 images to use as a reference. */
  urls?: Array<Media>;
  /** The price depends on the resolution. */
  resolution?: "768SQ" | "1K" | "1.5K" | "2K" | "4K";
  /** Search the web for facts and images first. No extra cost. */
  grounding?: boolean;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** FLUX 3 Klein */
export interface Flux3KleinInput extends ImgAInput {
  /** The price depends on the resolution. */
  resolution?: "1K" | "2K" | "4K";
}

/** FLUX 3 Video */
export interface Flux3VideoInput {
  /** A description of the video. */
  prompt: string;
  /** The price per second depends on the resolution. A draft is 720p. */
  resolution?: "720p" | "1080p";
  /** Length in seconds. */
  duration?: number;
  /** Ratio of width to height. */
  aspectRatio?: "auto" | "21:9" | "2:1" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16";
  /** 1 to 10 images in the order of their appearance. Not with videoUrl. */
  imageUrls?: Array<Media>;
  /** An MP4 file. Not with imageUrls. */
  videoUrl?: Media;
  /** A faster and cheaper preview, only in 720p. */
  draft?: boolean;
  /** 0 is the strictest check of the content. */
  safetyTolerance?: number;
}

/** Gemini Omni Flash 1.1 */
export interface GeminiOmni11FlashInput extends VidHInput {
  /** One video of 3 to 10 s. The result has the same length. Not with imageUrls. */
  referenceVideoUrls?: Array<Media>;
}

/** Gemini Omni Flash 1.2 */
export interface GeminiOmni12FlashInput extends VidHInput {
}

/** GPT Image 2 */
export interface GptImage2Input extends ImgBInput {
}

/** GPT Image 2.5 Flare */
export interface GptImage25FlareInput extends ImgBInput {
}

/** GPT Image 2.5 Sunburst */
export interface GptImage25SunburstInput extends ImgBInput {
}

/** Grok Imagine Image */
export interface GrokImagineImageInput extends ImgCInput {
  /** At most one image to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Grok Imagine Image 1.5 (text only) */
export interface GrokImagineImage15Input extends ImgCInput {
  /** Ratio of width to height. */
  size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
}

/** Grok Imagine Image 2.0 */
export interface GrokImagineImage20Input extends ImgCInput {
  /** At most one image to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "9:16" | "16:9";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Grok Imagine Video */
export interface GrokImagineVideoInput extends VidGInput {
  /** Length in seconds. */
  duration?: 6 | 10 | 15 | 20 | 25 | 30;
}

/** Grok Imagine Video 1.5 */
export interface GrokImagineVideo15Input extends VidGInput {
  /** Length in seconds. */
  duration?: 6 | 10 | 15;
}

/** Hunyuan 3D 3.1 */
export interface Hunyuan3d31Input extends Kind3dInput {
}

/** Kling 2.6 */
export interface Kling26Input extends VidJInput {
  /** The price depends on the resolution. */
  resolution?: "1080p";
  /** Length in seconds. */
  duration?: 5 | 10;
  /** Generate sound for the video. */
  generateAudio?: boolean;
}

/** Kling 2.6 Motion Control */
export interface Kling26MotionControlInput extends VidKInput {
}

/** Kling 3.0 */
export interface Kling30Input extends VidJInput {
  /** The price depends on the resolution. */
  resolution?: "720p" | "1080p" | "4k";
  /** Length in seconds. */
  duration?: number;
  /** Generate sound for the video. */
  generateAudio?: boolean;
}

/** Kling 3.0 Motion Control */
export interface Kling30MotionControlInput extends VidKInput {
}

/** Kling 3.0 Turbo */
export interface Kling30TurboInput extends VidJInput {
  /** The price depends on the resolution. */
  resolution?: "720p" | "1080p";
  /** Length in seconds. */
  duration?: number;
}

/** Kling 4.0 */
export interface Kling40Input extends VidLInput {
  /** A description of the video. Required unless there are scenes. */
  prompt?: string;
  /** The source of the video. Without it, the source is only the text. */
  videoMode?: "elements" | "start_end_frame" | "transform" | "video_reference";
  /** The price per second depends on the resolution. */
  resolution?: "720p" | "1080p";
  /** Generate sound for the video. */
  generateAudio?: boolean;
  /** Keep the sound of the source video. */
  keepAudio?: boolean;
  /** Up to 10 images, in the modes elements, transform and video_reference. */
  imageUrls?: Array<Media>;
  /** Number of the image in imageUrls that starts the video, from 1. */
  startImageIndex?: number;
  /** Up to 7 people or things in the video, at most 3 of them with a video. */
  elements?: Array<Record<string, unknown>>;
  /** Required in mode start_end_frame. */
  startFrameUrl?: Media;
  /** Up to 8 frames between the first and the last. */
  keyframeUrls?: Array<Media>;
  /** The last frame, in mode start_end_frame. */
  endFrameUrl?: Media;
  /** transform: 3 to 10 s, short side at least 700 pixels. video_reference: 3 to 30 s. */
  videoUrl?: Media;
  /** 2 to 6 scenes, together 3 to 30 s, each with a prompt. Not with prompt. */
  multiShots?: Array<Record<string, unknown>>;
}

/** Kling 4.0 Flash */
export interface Kling40FlashInput extends VidLInput {
  /** A description of the video. Required unless there are scenes. */
  prompt: string;
  /** The price per second depends on the resolution. */
  resolution?: "720p";
}

/** Kling Avatar 2.0 */
export interface KlingAvatar20Input {
  /** Exactly one image of a person: JPG, PNG or WebP, at most 10 MB. */
  imageUrls: Array<Media>;
  /** Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB. */
  audioUrls: Array<Media>;
  /** The emotion, the gestures and the camera. */
  prompt?: string;
  /** The price per second depends on the quality. */
  quality?: "standard" | "pro";
}

/** Kling O3 (3.0 Omni) */
export interface KlingO3Input extends VidJInput {
  /** The price depends on the resolution. */
  resolution?: "720p" | "1080p" | "4k";
  /** Length in seconds. */
  duration?: number;
  /** Generate sound for the video. */
  generateAudio?: boolean;
}

/** Midjourney */
export interface MidjourneyInput {
  /** The kind of job. */
  action?: "imagine" | "edits" | "blend" | "describe" | "upscale" | "variation" | "high-variation" | "low-variation" | "reroll" | "zoom" | "pan" | "inpaint" | "modal" | "remix-strong" | "remix-subtle";
  /** A description of the image. Required for imagine and edits. */
  prompt?: string;
  /** Images to use. Required for blend and describe. */
  imageUrls?: Array<Media>;
  /** The task with the result for a follow-up action. */
  parentTaskId?: string;
  /** Number of the image, 1 to 4 from the top left. */
  index?: number;
  /** The id of a button of the earlier result, instead of index. */
  customId?: string;
  /** The price depends on the speed. */
  speed?: "relax" | "fast" | "turbo";
  /** The direction in which the image grows. Required for pan. */
  direction?: "left" | "right" | "up" | "down";
  /** Zoom factor, 1 to 2. */
  zoomRatio?: number;
  /** A mask of the part to change. */
  maskUrl?: Media;
  /** Ratio of width to height for a blend of images. */
  dimensions?: "SQUARE" | "PORTRAIT" | "LANDSCAPE";
  /** Width to height, e.g. 16:9. */
  size?: string;
  /** Higher quality takes more time. */
  quality?: 0.25 | 0.5 | 1 | 2;
  /** A style of the model, e.g. raw. */
  style?: string;
  /** Version of the model. */
  version?: "8.1" | "7" | "6.1" | "5.2" | "5.1";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Things that must not appear. */
  negativePrompt?: string;
  /** Strength of the model's own style. */
  stylize?: number;
  /** Variation between the four images. */
  chaos?: number;
  /** Higher values return more unusual images. */
  weird?: number;
  /** Generate a seamless pattern. */
  tile?: boolean;
  /** Use the model for anime. */
  niji?: boolean;
  /** Influence of the given images. */
  iw?: number;
  /** Influence of cref. */
  cw?: number;
  /** Influence of sref. */
  sw?: number;
  /** URL of a character to keep. */
  cref?: string;
  /** URL or code of a style to keep. */
  sref?: string;
  /** URL of an image with the depth to keep. */
  dref?: string;
  /** Influence of dref. */
  dw?: number;
  /** Number of times to run an imagine. Each run is billed. */
  repeat?: number;
  /** Less of the model's own style. */
  raw?: boolean;
  /** Faster, with less quality. */
  draft?: boolean;
  /** A larger image. */
  hd?: boolean;
  /** Stop at this percentage. */
  stop?: number;
  /** Further flags, as text. */
  extra?: string;
}

/** Midjourney Video */
export interface MidjourneyVideoInput {
  /** Description of the motion. */
  prompt?: string;
  /** The image to animate. */
  imageUrls?: Array<Media>;
  /** The task with the image to animate. */
  parentTaskId?: string;
  /** Number of the image, 0 to 3. */
  index?: number;
  /** Resolution, and if a last frame is given. */
  videoType?: "vid_1.1_i2v_480" | "vid_1.1_i2v_720" | "vid_1.1_i2v_start_end_480" | "vid_1.1_i2v_start_end_720";
  /** auto chooses the motion. It needs parentTaskId and index. */
  animateMode?: "manual" | "auto";
  /** Amount of motion. */
  motion?: "low" | "high";
  /** Number of videos. Each is billed. */
  batchSize?: 1 | 2 | 4;
  /** The last frame, for the start_end types. */
  endUrl?: Media;
}

/** MiniMax H3 */
export interface MinimaxH3Input extends VidMInput {
  /** Up to 9 images. The first 5 are free, each additional image is billed. */
  imageUrls?: Array<Media>;
  /** The price per second depends on the resolution. */
  resolution?: "768p" | "2k";
  /** Length in seconds. */
  duration?: number;
}

/** MiniMax H3 Max */
export interface MinimaxH3MaxInput extends VidMInput {
  /** Up to 2 images. The first 5 are free, each additional image is billed. */
  imageUrls?: Array<Media>;
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "768p" | "1080p";
  /** Length in seconds. At most 10 at 1080p. */
  duration?: number;
}

/** Nano Banana 2 */
export interface NanoBanana2Input extends ImgDInput {
  /** Up to 14 images to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | "1:4" | "1:8" | "4:1" | "8:1";
  /** The price depends on the resolution. */
  resolution?: "512px" | "1K" | "2K" | "4K";
}

/** Nano Banana 2 Lite */
export interface NanoBanana2LiteInput extends ImgDInput {
  /** Up to 10 images to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9";
}

/** Nano Banana 2.1 */
export interface NanoBanana21Input extends ImgDInput {
  /** Up to 10 images to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | "1:4" | "1:8" | "4:1" | "8:1";
  /** The price depends on the resolution. */
  resolution?: "1K" | "2K" | "4K";
}

/** Nano Banana Pro */
export interface NanoBananaProInput extends ImgDInput {
  /** Up to 8 images to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9";
  /** The price depends on the resolution. */
  resolution?: "1K" | "2K" | "4K";
}

/** PixVerse V6 */
export interface PixverseV6Input {
  /** A description of the video. */
  prompt: string;
  /** The price per second depends on the resolution. */
  resolution?: "360p" | "540p" | "720p" | "1080p";
  /** Length in seconds. A transition has 5 or 8. */
  duration?: number;
  /** Shape of a video that is generated from text or references. */
  size?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "2:3" | "3:2" | "21:9";
  /** The same seed and input return a similar result. */
  seed?: number;
  /** Things that must not appear. */
  negativePrompt?: string;
  /** Generate sound for the video. */
  audio?: boolean;
  /** Add the vendor's watermark to the video. */
  watermark?: boolean;
  /** Speed of the motion. */
  motionMode?: "normal";
  /** Use several shots. Only for videos from text or an image. */
  generateMultiClipSwitch?: boolean;
  /** The image to start from. Only the first image is used. */
  imageUrls?: Array<Media>;
  /** Start of a transition, with lastFrameImage. */
  firstFrameImage?: Media;
  /** End of a transition, with firstFrameImage. */
  lastFrameImage?: Media;
  /** 1 to 7 images of people or things in the video. */
  imgReferences?: Array<Media>;
  /** The id of an earlier task of this model. */
  extendFromTaskId?: string;
}

/** Qwen Image 3.0 */
export interface QwenImage3Input extends ImgGInput {
}

/** Qwen Image 3.0 Pro */
export interface QwenImage3ProInput extends ImgGInput {
}

/** Seedance 1.0 Pro Fast */
export interface Seedance10ProFastInput extends VidFInput {
  /** A description of the video. Required without an image. */
  prompt: string;
  /** One image. Not with imageWithRoles. */
  imageUrls?: Array<Media>;
}

/** Seedance 1.5 Pro */
export interface Seedance15ProInput extends VidFInput {
  /** A description of the video. Required without an image. */
  prompt?: string;
  /** Generate sound for the video. */
  generateAudio?: boolean;
  /** Up to 2 images. Not with imageWithRoles. */
  imageUrls?: Array<Media>;
}

/** Seedance 2.0 */
export interface Seedance20Input extends VidDInput {
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p" | "1080p" | "4k";
}

/** Seedance 2.0 Fast */
export interface Seedance20FastInput extends VidDInput {
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p";
}

/** Seedance 2.0 Mini */
export interface Seedance20MiniInput extends VidDInput {
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p";
}

/** Seedance 2.5 */
export interface Seedance25Input {
  /** A description of the video. */
  prompt: string;
  /** Length in seconds. */
  duration?: number;
  /** Ratio of width to height. Must be adaptive with a first or last frame. */
  size?: "adaptive" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9";
  /** The price per second depends on the resolution. */
  resolution?: "480p" | "720p" | "1080p";
  /** Generate sound for the video. */
  generateAudio?: boolean;
  /** Have the provider check the content first. */
  nsfwCheck?: boolean;
  /** Add the vendor's watermark to the video. */
  watermark?: boolean;
  /** The same seed and input return a similar result. */
  seed?: number;
  /** File type of the result. */
  outputFormat?: "mp4" | "mov";
  /** The use of the reference media: as references, or to extend the video. */
  omniReferenceTaskType?: "auto" | "reference" | "extend";
  /** Up to 30 images, including the images in imageWithRoles. */
  imageUrls?: Array<Media>;
  /** Images as first frame, last frame or reference. */
  imageWithRoles?: Array<Record<string, unknown>>;
  /** Up to 10 videos of 2 to 30 s, 30 s together. */
  videoUrls?: Array<Media>;
  /** Up to 10 files, 30 s together. */
  audioUrls?: Array<Media>;
  /** Also return the last frame as an image. */
  returnLastFrame?: boolean;
  /** Tools for the model: a web search. */
  tools?: Array<Record<string, unknown>>;
}

/** Seedream 4.0 */
export interface Seedream40Input extends ImgEInput {
  /** Ratio of width to height. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
  /** The price depends on the resolution. */
  resolution?: "1K" | "2K" | "4K";
  /** File type of the result. */
  outputFormat?: "jpeg";
  /** How thoroughly the prompt is reworked before the image is generated. */
  promptOptimizeMode?: "standard" | "fast";
  /** Add the vendor's watermark to the image. */
  watermark?: boolean;
}

/** Seedream 4.5 */
export interface Seedream45Input extends ImgEInput {
  /** Ratio of width to height. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
  /** The price depends on the resolution. */
  resolution?: "2K" | "4K";
  /** File type of the result. */
  outputFormat?: "jpeg" | "png";
  /** How thoroughly the prompt is reworked before the image is generated. */
  promptOptimizeMode?: "standard";
  /** Add the vendor's watermark to the image. */
  watermark?: boolean;
}

/** Seedream 5.0 Flash */
export interface Seedream5FlashInput extends ImgEInput {
  /** Ratio of width to height. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9";
  /** The price depends on the resolution. */
  resolution?: "1K" | "1.5K" | "2K";
  /** File type of the result. */
  outputFormat?: "jpeg" | "png";
  /** Add the vendor's watermark to the image. */
  watermark?: false;
}

/** Seedream 5.0 Lite */
export interface Seedream5LiteInput extends ImgEInput {
  /** Ratio of width to height. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9" | "9:21" | "auto";
  /** The price depends on the resolution. */
  resolution?: "2K" | "3K" | "4K";
  /** File type of the result. */
  outputFormat?: "jpeg" | "png";
  /** How thoroughly the prompt is reworked before the image is generated. */
  promptOptimizeMode?: "standard";
  /** Add the vendor's watermark to the image. */
  watermark?: boolean;
}

/** Seedream 5.0 Pro */
export interface Seedream5ProInput extends ImgEInput {
  /** Ratio of width to height. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16" | "3:2" | "2:3" | "21:9";
  /** The price depends on the resolution. */
  resolution?: "1K" | "1.5K" | "2K";
  /** File type of the result. */
  outputFormat?: "jpeg" | "png";
  /** Add the vendor's watermark to the image. */
  watermark?: false;
}

/** Suno */
export interface SunoInput extends MusicInput {
  /** Version of the music engine. */
  mv?: "v3.5" | "v4.0" | "v4.5" | "v4.5+" | "v5.0" | "v5.5";
  /** Ratio of width to height of a music video. */
  aspectRatio?: "9:16";
  /** Quality of a music video. */
  quality?: "compact";
  /** The stem to extract. */
  stemType?: "lead_vocal";
}

/** Suno Custom Model */
export interface SunoCustomModelInput {
  /** Name of the engine. */
  name: string;
  /** 6 to 24 tracks: MP3, WAV or M4A. */
  audioUrls: Array<Media>;
}

/** Sync Lipsync 2 */
export interface SyncLipsync2Input {
  /** Exactly one video of a speaker: MP4, 1 to 60 s, at most 100 MB. */
  videoUrls: Array<Media>;
  /** Exactly one sound of 2 to 60 s: MP3, WAV or M4A, at most 10 MB. */
  audioUrls: Array<Media>;
  /** Repeat a video that is shorter than the sound, or play it back and forth. */
  syncMode?: "loop" | "bounce";
  /** The price per second depends on the quality. */
  quality?: "standard" | "pro";
}

/** Test 3D */
export interface Test3dInput extends Kind3dInput {
}

/** Test image */
export interface TestImageInput extends ImgCInput {
  /** At most one image to use as a reference. */
  urls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "1:1" | "16:9" | "9:16" | "3:2" | "2:3";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Test: Seedance 1 */
export interface TestSeedance1Input extends VidFInput {
  /** A description of the video. Required without an image. */
  prompt?: string;
  /** Generate sound for the video. */
  generateAudio?: boolean;
  /** Up to 9 images. Not with imageWithRoles. */
  imageUrls?: Array<Media>;
}

/** Test: Sora 2 */
export interface TestSora2Input {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. */
  aspectRatio?: "16:9" | "9:16";
  /** At most one image to start from. */
  urls?: Array<Media>;
  /** Length in seconds. */
  duration?: 4 | 8 | 12 | 16 | 20;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Test: Suno */
export interface TestSunoInput extends MusicInput {
  /** Version of the music engine. */
  mv?: "v3.5" | "v4.0" | "v4.5" | "v4.5+" | "v5.0" | "v5.5" | "custom";
  /** Image for a music video. */
  imageUrl?: Media;
  /** Ratio of width to height of a music video. */
  aspectRatio?: "9:16" | "16:9" | "1:1" | "3:4" | "4:3";
  /** 1 to 4 hex colors. */
  backgroundColors?: Array<string>;
  /** Quality of a music video. */
  quality?: "compact" | "high" | "max";
  /** The stem to extract. */
  stemType?: string;
  /** Another name of imageUrl. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Test upscaling */
export interface TestUpscaleInput extends UpscaleImageInput {
}

/** Test video */
export interface TestVideoInput {
  /** A description of the video. */
  prompt: string;
  /** Ratio of width to height. */
  aspectRatio?: "16:9" | "9:16";
  /** Images to start from. Without them, the video is generated only from the text. */
  urls?: Array<Media>;
  /** Length in seconds. */
  duration?: 10 | 15 | 25;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Topaz Image Upscale */
export interface TopazImageUpscaleInput extends UpscaleImageInput {
}

/** Veo 3.1 Fast */
export interface Veo31FastInput extends VidCInput {
  /** First and last frame, or references: see generationType. */
  urls?: Array<Media>;
  /** frame: the first and the last frame. reference: people or things that appear in the video. */
  generationType?: "frame" | "reference";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Veo 3.1 Lite */
export interface Veo31LiteInput extends VidCInput {
}

/** Veo 3.1 Quality */
export interface Veo31QualityInput extends VidCInput {
  /** First and last frame, or references: see generationType. */
  urls?: Array<Media>;
  /** frame: the first and the last frame. reference: people or things that appear in the video. */
  generationType?: "frame";
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Wan 2.7 Edit Video */
export interface Wan27EditVideoInput extends VidOInput {
  /** A description of the video. Required without media. */
  prompt?: string;
  /** The video that the prompt changes. */
  editVideoUrl: Media;
  /** An image that the edit refers to. */
  referenceImageUrl?: Media;
  /** Ratio of width to height. */
  size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
  /** Length in seconds. 0 keeps the length of a video to edit. */
  duration?: 0 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
  /** The treatment of the video's sound. */
  audioSetting?: string;
  /** Another name of referenceImageUrl. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Wan 2.7 Image */
export interface Wan27ImageInput extends ImgGInput {
  /** Width in pixels, together with height. Replaces the aspect ratio. */
  width?: number;
  /** Height in pixels, together with width. Replaces the aspect ratio. */
  height?: number;
}

/** Wan 2.7 Image Pro */
export interface Wan27ImageProInput extends ImgGInput {
  /** Width in pixels, together with height. Replaces the aspect ratio. */
  width?: number;
  /** Height in pixels, together with width. Replaces the aspect ratio. */
  height?: number;
}

/** Wan 2.7 Image to Video */
export interface Wan27ImageToVideoInput extends VidOInput {
  /** A description of the video. Required without media. */
  prompt?: string;
  /** The first and optionally the last frame. */
  imageUrls?: Array<Media>;
  /** Sound that the video follows. Not with continueVideoUrl. */
  audioUrl?: Media;
  /** A video of 2 to 10 s. Not with imageUrls or audioUrl. */
  continueVideoUrl?: Media;
  /** Length in seconds. */
  duration?: number;
  /** Use several shots. */
  multiShots?: boolean;
}

/** Wan 2.7 Reference to Video */
export interface Wan27ReferenceToVideoInput extends VidOInput {
  /** A description of the video. Required without media. */
  prompt?: string;
  /** Images of the people or things that appear. */
  referenceImageUrls?: Array<Media>;
  /** Videos of the people or things that appear. */
  referenceVideoUrls?: Array<Media>;
  /** Ratio of width to height. */
  size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
  /** Length in seconds. */
  duration?: number;
  /** Use several shots. */
  multiShots?: boolean;
  /** Another name of referenceImageUrls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** Wan 2.7 Text to Video */
export interface Wan27TextToVideoInput extends VidOInput {
  /** A description of the video. Required without media. */
  prompt: string;
  /** Sound that the video follows. Not with continueVideoUrl. */
  audioUrl?: Media;
  /** Ratio of width to height. */
  size?: "16:9" | "9:16" | "1:1" | "4:3" | "3:4";
  /** Length in seconds. */
  duration?: 5 | 10 | 15;
}

/** Wan 3.0 */
export interface Wan30Input extends VidPInput {
}

/** Wan 3.0 Prime */
export interface Wan30PrimeInput extends VidPInput {
}

/** Z-Image Turbo */
export interface ZImageInput {
  /** A description of the image, or of the changes to the given image. */
  prompt: string;
  /** Exactly one image to edit. Without it, a new image is generated. */
  urls?: Array<Media>;
  /** Ratio of width to height. Required without a reference image. */
  size?: "1:1" | "4:3" | "3:4" | "16:9" | "9:16";
  /** Refuse results that fail the provider's content check. */
  enableSafetyChecker?: boolean;
  /** Another name of urls. Do not send both. */
  imageUrls?: Array<Media>;
}

/** The input of each media model, by its id. */
export interface Inputs {
  "bria-rmbg-2.0": BriaRmbg20Input;
  "bytedance-video-upscaler": BytedanceVideoUpscalerInput;
  "flux-3-image": Flux3ImageInput;
  "flux-3-klein": Flux3KleinInput;
  "flux-3-video": Flux3VideoInput;
  "gemini-omni-1.1-flash": GeminiOmni11FlashInput;
  "gemini-omni-1.2-flash": GeminiOmni12FlashInput;
  "gpt-image-2": GptImage2Input;
  "gpt-image-2.5-flare": GptImage25FlareInput;
  "gpt-image-2.5-sunburst": GptImage25SunburstInput;
  "grok-imagine-image": GrokImagineImageInput;
  "grok-imagine-image-1.5": GrokImagineImage15Input;
  "grok-imagine-image-2.0": GrokImagineImage20Input;
  "grok-imagine-video": GrokImagineVideoInput;
  "grok-imagine-video-1.5": GrokImagineVideo15Input;
  "hunyuan-3d-3.1": Hunyuan3d31Input;
  "kling-2.6": Kling26Input;
  "kling-2.6-motion-control": Kling26MotionControlInput;
  "kling-3.0": Kling30Input;
  "kling-3.0-motion-control": Kling30MotionControlInput;
  "kling-3.0-turbo": Kling30TurboInput;
  "kling-4.0": Kling40Input;
  "kling-4.0-flash": Kling40FlashInput;
  "kling-avatar-2.0": KlingAvatar20Input;
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
  "sync-lipsync-2": SyncLipsync2Input;
  "test-3d": Test3dInput;
  "test-image": TestImageInput;
  "test-seedance-1": TestSeedance1Input;
  "test-sora-2": TestSora2Input;
  "test-suno": TestSunoInput;
  "test-upscale": TestUpscaleInput;
  "test-video": TestVideoInput;
  "topaz-image-upscale": TopazImageUpscaleInput;
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
