export default {
"No answer from the service. Try again.": "El servicio no responde. Inténtalo de nuevo.",
"The browser did not let us copy.": "El navegador no permitió copiar."
};
