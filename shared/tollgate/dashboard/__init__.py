"""What the web pages need besides the features they show: who signs in, forms of models, code to copy."""
