"""Upload an image, animate it, wait with progress, save the video.

    python animate.py start.png "the waves begin to roll"

Needs TOLLGATE_URL and TOLLGATE_API_KEY.
"""

import sys
from pathlib import Path

import tollgate_client
from tollgate_client.inputs import Seedance15ProInput

MODEL = "seedance-1.5-pro"


def show(progress: tollgate_client.Progress) -> None:
    """Print the progress."""
    percent = "" if progress.percent is None else f", {progress.percent} %"
    print(f"{progress.elapsed_s:5.1f} s  {progress.task.status}{percent}")


def main(image: Path, prompt: str) -> int:
    """Create the video and return the exit status, which is 0 if it is saved."""
    wanted = Seedance15ProInput(prompt=prompt, imageUrls=[image], duration=4, resolution="480p")
    with tollgate_client.Client() as client:
        price = client.estimate(MODEL, wanted).price_cents
        print(f"This costs ${price / 100:.2f}")
        try:
            # The limit is the printed price, even if prices change in between.
            task = client.run(MODEL, wanted, max_cost_cents=price, on_progress=show)
        except tollgate_client.TaskFailedError as failed:
            print(f"{failed}. Refunded: ${(failed.task.refunded_cents or 0) / 100:.2f}")
            return 1
        except tollgate_client.InsufficientBalanceError as refused:
            print(refused.message)
            return 1
        for path in task.save():
            print(f"Saved {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
