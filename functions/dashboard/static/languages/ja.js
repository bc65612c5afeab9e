export default {
"No answer from the service. Try again.": "サービスから応答がありません。もう一度お試しください。",
"The browser did not let us copy.": "ブラウザーがコピーを許可しませんでした。"
};
