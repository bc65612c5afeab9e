export default {
"No answer from the service. Try again.": "Der Dienst antwortet nicht. Versuchen Sie es noch einmal.",
"The browser did not let us copy.": "Der Browser hat das Kopieren nicht erlaubt."
};
