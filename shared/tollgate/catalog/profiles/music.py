"""The music profile of the contract: one `action` per kind of job.

The contract lists most fields and leaves "prompt-type and other fields" open. Decided here, by the fields of
the providers' calls (docs/providers/kie.md#music): `prompt` (a description of the song or, with `styles` or
`title`, its lyrics, unless `autoLyrics` asks to write them), `title`, `instrumental`, `negativeTags`. An
action on a track has `parentTaskId` (the task that generated it) and `audioId` (the track in it), or
`audioUrl` for a track from elsewhere. Lengths and ranges that the contract does not give are decided here
too.

`music_actions` lists the required and supported fields of each action.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from tollgate.catalog.kinds import Choice, Ignored, Many, Number, Pattern, Text, Whole
from tollgate.catalog.profiles.base import AudioUrl, Bool, ImageUrl, Profile, TaskId, field
from tollgate.catalog.profiles.music_actions import (
    ACTIONS,
    CASES,
    ENGINES,
    ENGINES_OF,
    FIELDS_OF_ACTION,
    REDUNDANT_VALUES,
)
from tollgate.catalog.rules import (
    CheckedInput,
    Rule,
    at,
    at_most_where,
    given,
    has_required_source,
    needs_one_of,
    not_together,
    only_together,
    only_usable_fields,
    rule,
)
from tollgate.kit.problems import Problem

MAX_TRACK_S = 3_600
MAX_BPM = 300
MAX_INSPIRATIONS = 4

Weight = Annotated[float, Number(0, 1, decimals=2)]
Seconds = Annotated[float, Number(0, MAX_TRACK_S)]
TwoIds = Annotated[list[TaskId], Many(2, 2)]
HexColor = Annotated[str, Pattern("#[0-9a-fA-F]{6}", "a hex color like #1a2b3c")]
Key = Annotated[str, Pattern("[A-G][#b]?( ?(m|min|maj|[Mm]inor|[Mm]ajor))?", "a key like C minor")]

SUNG_PART = [given("startS"), given("endS")]
DESCRIBED_INSTRUMENTAL = {
    "required": ["instrumental", "styles"],
    "properties": {"instrumental": {"const": True}, **given("styles")["properties"]},
}


@rule(
    "action",
    "prompt",
    "instrumental",
    "styles",
    schema={
        "if": {"properties": {"action": {"const": "music"}}},
        "then": {"anyOf": [given("prompt"), DESCRIBED_INSTRUMENTAL]},
    },
)
def a_song_has_words_or_a_style(checked: CheckedInput) -> Iterator[Problem]:
    """Require `prompt` for `music`, unless an instrumental is described by its `styles`."""
    if checked.values["action"] != "music" or "prompt" in checked.given:
        return
    if not (checked.values.get("instrumental") and "styles" in checked.given):
        yield Problem(at("prompt"), "Required, unless instrumental is true and styles is given.")


@rule("action", "mv", schema={
    "allOf": [
        {
            "if": {"required": ["action"], "properties": {"action": {"enum": list(actions)}}},
            "then": {"properties": {"mv": {"enum": list(engines)}}},
        }
        for actions, engines in ENGINES_OF.items()
    ]
})  # fmt: skip
def an_engine_can_do_the_action(checked: CheckedInput) -> Iterator[Problem]:
    """Refuse an engine that no route runs the action on."""
    action, engine = checked.values["action"], checked.values.get("mv")
    for actions, engines in ENGINES_OF.items():
        if action in actions and engine is not None and engine not in engines:
            yield Problem(at("mv"), f"Engine {engine} cannot do action {action}.", list(engines))


@rule("startS", "endS")
def a_section_ends_after_it_starts(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to "`endS` > `startS`" (docs/contract.md#music)."""
    values: dict[str, Any] = checked.values
    if {"startS", "endS"} <= checked.given and values["endS"] <= values["startS"]:
        yield Problem(at("endS"), "Must be greater than startS.", f"more than {values['startS']}")


@rule("action", "phraseId", "styles", "startS", "endS", schema={
    "if": {"required": ["action"], "properties": {"action": {"const": "voice"}}},
    "then": {
        "if": given("phraseId"),
        "then": {"not": {"anyOf": [given("startS"), given("endS")]}},
        "else": {
            "not": given("styles"),
            "oneOf": [{"allOf": SUNG_PART}, {"not": {"anyOf": SUNG_PART}}],
        },
    },
})  # fmt: skip
def a_voice_takes_the_fields_of_its_step(checked: CheckedInput) -> Iterator[Problem]:
    """Keep to the two steps of a verified voice (docs/providers/kie.md#music)."""
    if checked.values["action"] != "voice":
        return
    part = [name for name in ("startS", "endS") if name in checked.given]
    if "phraseId" in checked.given:
        for name in part:
            yield Problem(at(name), "Cannot be combined with phraseId.")
        return
    if "styles" in checked.given:
        yield Problem(at("styles"), "Needs phraseId.")
    if len(part) == 1:
        missing = "endS" if part == ["startS"] else "startS"
        yield Problem(at(missing), f"Required together with {part[0]}.")


class Music(Profile):
    """All fields of the music profile (docs/contract.md#music), for every action."""

    rules: ClassVar[tuple[Rule, ...]] = (
        a_song_has_words_or_a_style,
        has_required_source("action", CASES, "music"),
        only_usable_fields("action", FIELDS_OF_ACTION, REDUNDANT_VALUES),
        an_engine_can_do_the_action,
        not_together("audioUrl", "parentTaskId"),
        needs_one_of("audioId", "parentTaskId"),
        needs_one_of("audioIds", "sourceTaskIds"),
        only_together("verificationAudioUrl", "phraseId"),
        *(needs_one_of(name, "phraseId") for name in ("name", "description", "singerSkillLevel")),
        a_voice_takes_the_fields_of_its_step,
        a_section_ends_after_it_starts,
        # "`audioUrls` (inspo 1-4…)" (docs/contract.md#music)
        at_most_where("action", "inspo", "audioUrls", MAX_INSPIRATIONS),
    )
    price_dimensions: ClassVar[Mapping[str, str]] = {"action": "action"}

    action: Annotated[str, Choice(ACTIONS)] = field("Action", "The kind of job.", "music")
    prompt: Annotated[str, Text(5000, prompt=True, multiline=True)] = field(
        "Prompt", "The subject of the song; with styles or title, its lyrics."
    )
    styles: Annotated[str, Text(1000)] = field("Styles", "Genres, moods, instruments, separated by commas.")
    title: Annotated[str, Text(100)] = field("Title", "Title of the track.")
    instrumental: Bool = field("Instrumental", "Generate music without vocals.", default=False)
    autoLyrics: Bool = field("Write lyrics", "Write lyrics from the prompt, instead of using it as lyrics.")
    negativeTags: Annotated[str, Text(1000)] = field("Avoid", "Styles to avoid, separated by commas.")
    mv: Annotated[str, Choice(ENGINES)] = field("Engine", "Version of the music engine.")
    styleWeight: Weight = field("Style weight", "How closely to follow the styles.")
    weirdnessConstraint: Weight = field("Weirdness", "Higher values return more unusual music.")
    audioWeight: Weight = field("Audio weight", "How closely to follow the given audio.")
    vocalGender: Annotated[str, Choice(("Male", "Female"))] = field("Voice", "Preferred voice.")
    variationCategory: Annotated[str, Choice(("subtle", "normal", "high"))] = field(
        "Variation", "Strength of a variation."
    )
    audioUrls: Annotated[list[AudioUrl], Many(1, 24)] = field("Audio files", "Tracks to use.")
    parentTaskId: TaskId = field("Earlier task", "The task with the track to use.")
    audioId: TaskId = field("Track", "The id of a track of that task.")
    audioUrl: AudioUrl = field("Audio file", "URL of a track, instead of an earlier task.")
    imageUrl: ImageUrl = field("Image", "Image for a music video.")
    voiceAudioUrl: AudioUrl = field("Voice recording", "A recording of the voice to copy.")
    verificationAudioUrl: AudioUrl = field(
        "Verification", "A recording of the phrase, read by the same voice."
    )
    phraseId: Annotated[str, Text(200)] = field(
        "Phrase", "The id of the phrase, from the output of an earlier voice task."
    )
    name: Annotated[str, Text(100)] = field("Name", "Name of the voice or model.")
    description: Annotated[str, Text(1000, multiline=True)] = field(
        "Description", "Description of the voice."
    )
    singerSkillLevel: Annotated[str, Choice(("Beginner", "Intermediate", "Advanced", "Professional"))] = (
        field("Skill", "Singing skill of the voice.")
    )
    aspectRatio: Annotated[str, Choice(("9:16", "16:9", "1:1", "3:4", "4:3"))] = field(
        "Aspect ratio", "Ratio of width to height of a music video.", "9:16"
    )
    backgroundColors: Annotated[list[HexColor], Many(1, 4)] = field("Background", "1 to 4 hex colors.")
    quality: Annotated[str, Choice(("compact", "high", "max"))] = field(
        "Quality", "Quality of a music video.", "compact"
    )
    startS: Seconds = field(
        "Start", "Start of the section in seconds; for extend, the time at which the extension starts."
    )
    endS: Seconds = field("End", "End of the section in seconds, after startS.")
    durationS: Seconds = field("Length", "Length in seconds.")
    bpm: Annotated[int, Whole(1, MAX_BPM)] = field("Tempo", "Beats per minute.")
    key: Key = field("Key", "Musical key, e.g. C minor.")
    type: Annotated[str, Choice(("one-shot", "loop"))] = field("Type", "Type of a sound.")
    stemType: Annotated[str, Text(50)] = field("Stem", "The stem to extract.", "lead_vocal")
    speed: Annotated[float, Number(0.25, 4)] = field("Speed", "1 is the original speed.")
    keepPitch: Bool = field("Keep pitch", "Change the speed without changing the pitch.", default=True)
    sourceTaskIds: TwoIds = field("Source tasks", "Exactly 2 tasks to mash up.")
    audioIds: TwoIds = field("Audio ids", "One audio id for each source task.")
    voxAudioId: Annotated[Any, Ignored()] = field("Vox audio", "Deprecated and ignored.")
