export default {
"No answer from the service. Try again.": "服务没有响应，请重试。",
"The browser did not let us copy.": "浏览器不允许复制。"
};
