"""The parts of the web pages that are not another feature: sign-in, forms of models, code examples.

The pages are in `functions/dashboard`. The code here computes their content and uses no HTTP.

cognito.py      sign-in on AWS; `development.py`: sign-in on one machine; `sessions.py`: sessions
second_factor.py  an authenticator app as a second factor
other_services.py  parts of a page that another service has
browsers.py     the name of a browser in the list of sessions
settings_form.py  the form of a person's settings; `zones.py`: the time zone of a request
sign_ins.py     starts and ends sessions, and records them in the audit log
pool.py         the settings of the user pool, and the errors of a sign-in there
forms.py        a model's form, from its published input
task_options.py  the options of a task in the form
key_form.py     the form of an API key; `token_form.py`, `subaccount_form.py`
policy_form.py  the form of a routing policy
budgets.py      the bars and the forms of budgets
first_steps.py  the first steps of a new account
first_price.py  the price of an incomplete form; `token_prices.py`: the prices of a chat
shared_input.py the input on the public page of a result
prompts.py      example prompts
problems.py     the problems of an input as sentences
languages.py    the language of a description for a browser
comparison.py   the inputs of several models, side by side
chat_keys.py    keys for the chat page
chart.py        geometry of charts; `usage_chart.py`: a metric by day; `usage_query.py`: its address
"""
