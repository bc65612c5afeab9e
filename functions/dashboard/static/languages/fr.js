export default {
"No answer from the service. Try again.": "Le service ne répond pas. Réessayez.",
"The browser did not let us copy.": "Le navigateur n'a pas autorisé la copie."
};
