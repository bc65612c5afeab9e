"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.TollgateApi = void 0;
/** The address of a Tollgate service, and a key of it. */
class TollgateApi {
    name = "tollgateApi";
    displayName = "Tollgate API";
    documentationUrl = "https://docs.n8n.io/integrations/community-nodes/";
    properties = [
        {
            displayName: "Base URL",
            name: "baseUrl",
            type: "string",
            default: "",
            placeholder: "https://gateway.example.com",
            required: true,
            description: "The address of the service, without /api/v1",
        },
        {
            displayName: "API Key",
            name: "apiKey",
            type: "string",
            typeOptions: { password: true },
            default: "",
            required: true,
        },
    ];
    authenticate = {
        type: "generic",
        properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
    };
    test = {
        request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: "/api/v1/user/me" },
    };
}
exports.TollgateApi = TollgateApi;
