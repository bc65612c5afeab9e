// Upload an image, animate it, wait with progress, save the video.
//
//   node animate.mjs start.png "the waves begin to roll"
//
// Needs TOLLGATE_URL and TOLLGATE_API_KEY.
import { Client, InsufficientBalanceError, TaskFailedError } from "tollgate-client";
import { fromPath, save } from "tollgate-client/node";

const MODEL = "seedance-1.5-pro";
const [image, prompt] = process.argv.slice(2);

const client = new Client();
const wanted = { prompt, imageUrls: [await fromPath(image)], duration: 4, resolution: "480p" };
const { price } = await client.estimate(MODEL, wanted);
console.log(`This costs $${(price / 100).toFixed(2)}`);
try {
  const task = await client.run(MODEL, wanted, {
    // Never more than was just said, whatever happens to prices in between.
    maxCostCents: price,
    onProgress: ({ task, elapsedS }) =>
      console.log(`${elapsedS.toFixed(1).padStart(5)} s  ${task.status}${task.progress ? `, ${task.progress} %` : ""}`),
  });
  for (const file of task.files) console.log(`Saved ${await save(client, file)}`);
} catch (error) {
  if (error instanceof TaskFailedError) {
    console.log(`${error.message}. Refunded: $${((error.task.refundedCents ?? 0) / 100).toFixed(2)}`);
  } else if (error instanceof InsufficientBalanceError) {
    console.log(error.message);
  } else {
    throw error;
  }
  process.exitCode = 1;
}
