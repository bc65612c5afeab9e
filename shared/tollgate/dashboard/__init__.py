"""What the web pages need besides the features they show: who signs in, forms of models, code to copy.

The pages themselves are `functions/dashboard`; here is what they compute, without HTTP.

cognito.py      signing in on AWS; `development.py`: on one machine; `sessions.py`: who is signed in
sign_ins.py     sessions begun and ended, with their lines in the audit log
pool.py         the user pool as a setting, and what may become of a sign-in there
forms.py        a model's form from its published input; `key_form.py`: that of a key
first_price.py  the price of a form before all of it is filled in; `token_prices.py`: those of a chat
problems.py     what is wrong with what was sent, in words
snippets.py     the same request as code
languages.py    which language of a description a browser is shown
comparison.py   what several models take, side by side
chat_keys.py    keys for the chat page
chart.py        geometry of charts; `spending.py`: what the overview adds up
"""
