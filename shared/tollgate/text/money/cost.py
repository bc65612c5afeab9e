"""The cost of a response as its usage tells it: the charge of the customer. Pure.

Source of the names: OpenRouter's usage accounting (`ChatUsage` in its SDKs). There they tell the inference
provider's price. Here all of them are parts of Tollgate's charge.
"""

from typing import Any

from tollgate.kit.money import usd_number
from tollgate.text.models import TextModel
from tollgate.text.money.metering import charge_and_input, charge_micro_usd
from tollgate.text.usage import Usage


def shown_cost(usage: Usage, model: TextModel, most_micro_usd: int) -> dict[str, Any]:
    """Return the fields beside a usage that tell its cost, in USD.

    `most_micro_usd` is the hold: as in `TextBilling.settle`, a charge is never larger.
    """
    charge, input_part = charge_and_input(usage, model)
    total = min(charge, most_micro_usd)
    prompt, searched = min(total, input_part), 0
    if usage.web_searches:
        searches = Usage(0, 0, web_searches=usage.web_searches)
        searched = min(total - prompt, charge_micro_usd(searches, model))
    return {
        "cost": usd_number(total),
        "cost_details": {
            "upstream_inference_cost": None,
            "upstream_inference_prompt_cost": usd_number(prompt),
            "upstream_inference_completions_cost": usd_number(total - prompt - searched),
            **({"web_search_cost": usd_number(searched)} if usage.web_searches else {}),
        },
        "is_byok": False,
    }
