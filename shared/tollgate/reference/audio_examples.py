"""Programs of the docs that speak and transcribe. They contain MODEL for the id of a model. Pure."""

SPEECH_CURL = """\
curl -sS "$TOLLGATE_URL/api/v1/audio/speech" \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY" -H 'Content-Type: application/json' \\
  -d BODY -o speech.mp3 -w '%{size_download} bytes\\n'"""

SPEECH_OPENAI = """\
# pip install openai
import os
from pathlib import Path

from openai import OpenAI

client = OpenAI(
    base_url=os.environ["TOLLGATE_URL"] + "/api/v1",
    api_key=os.environ["TOLLGATE_API_KEY"],
)
with client.audio.speech.with_streaming_response.create(
    model="MODEL",
    voice="alloy",
    input="The lighthouse is lit at dusk.",
) as answer:
    answer.stream_to_file(Path("speech.mp3"))
print(Path("speech.mp3").stat().st_size, "bytes")"""

SPEECH_TYPESCRIPT = """\
import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env.TOLLGATE_URL + "/api/v1",
  apiKey: process.env.TOLLGATE_API_KEY,
});
const answer = await client.audio.speech.create({
  model: "MODEL",
  voice: "alloy",
  input: "The lighthouse is lit at dusk.",
});
const audio = Buffer.from(await answer.arrayBuffer());
await writeFile("speech.mp3", audio);
console.log(audio.length, "bytes");"""

TRANSCRIPTION_CURL = """\
curl -sS "$TOLLGATE_URL/api/v1/audio/transcriptions" -H "Authorization: Bearer $TOLLGATE_API_KEY" \\
  -F model=MODEL -F file=@speech.mp3 | jq -r .text"""

TRANSCRIPTION_OPENAI = """\
# pip install openai
import os
from pathlib import Path

from openai import OpenAI

client = OpenAI(
    base_url=os.environ["TOLLGATE_URL"] + "/api/v1",
    api_key=os.environ["TOLLGATE_API_KEY"],
)
answer = client.audio.transcriptions.create(
    model="MODEL",
    file=Path("speech.mp3"),
)
print(answer.text)"""

TRANSCRIPTION_TYPESCRIPT = """\
import { createReadStream } from "node:fs";
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env.TOLLGATE_URL + "/api/v1",
  apiKey: process.env.TOLLGATE_API_KEY,
});
const answer = await client.audio.transcriptions.create({
  model: "MODEL",
  file: createReadStream("speech.mp3"),
});
console.log(answer.text);"""
