/// What `--help` prints.
enum HelpText {
    static let text = """
        Usage: tokenbroker-simulator [options]

        The providers' side of the wire on 127.0.0.1, over HTTP and HTTPS, with faults on request.

          --http-port N        port for HTTP (default 0: any that is free)
          --https-port N       port for HTTPS (default 0)
          --ca-file PATH       write the authority to trust for HTTPS there, in PEM; a new one at every start
          --device-root-file PATH
                               write the root of the simulated devices there, in PEM, for devices.root_ca_file
          --ready-file PATH    write the ports and base URLs there, as JSON, once connections are accepted
          --secret-key KEY     a key that works, sk_v1_... (pk_v1_... too); repeatable (default \
        \(SimulatorOptions.demoSecretKey))
          --product UUID       a product that exists; repeatable (default: every UUID is one)
          --lifetime SECONDS   how long a token lives (default \(SimulatorOptions().lifetimeSeconds))
          --help, --version

        Providers, by the path below which they are:
          /ai-autocomplete     POST /api/auth/token, POST /api/suggest
          /app-ai-gateway      POST /v1/apps/APP/auth/token, GET /v1/apps/APP/me, POST /v1/apps/APP/endpoints/SLUG,
                               any method /v1/apps/APP/proxy/PROVIDER/PATH, and with \(AppAIGateway.exampleManagementKey)
                               GET and POST /v1/admin/apps/APP/keys, POST .../keys/ID/revoke; APP is one of
                               \(GatewayApp.examples.map(\.id).joined(separator: ", "))
          /roadie              POST /v1/client-tokens, GET /v1/models, POST /v1/chat,
                               POST /openai/v1/chat/completions; keys \(Roadie.exampleKeys.joined(separator: ", "))
          /palbase             POST /auth/token/refresh, GET and POST /v1/todos; project keys
                               \(SimulatorOptions.demoPublishableKey) and \(SimulatorOptions.demoServiceKey),
                               refresh token \(SimulatorOptions.demoRefreshToken)
          /new-api             GET /v1/models, POST /v1/chat/completions, signed;
                               key \(SimulatorOptions.demoRelayKey);
                               /api/token/ with \(SimulatorOptions.demoSystemToken), user \(SimulatorOptions.demoUserID)
          /oauth2              POST /token (client_credentials), GET /resource; client
                               \(SimulatorOptions.demoClientID), secret \(SimulatorOptions.demoClientSecret)

        Control, with JSON bodies:
          GET    /control/healthz
          GET    /control/PROVIDER            counts, the last request, the instants of the mints, the behaviour
          GET    /control/PROVIDER/behaviour  the behaviour towards the next request
          PUT    /control/PROVIDER/behaviour  change members, listed below; null makes one normal again
          DELETE /control/PROVIDER/behaviour  make the provider normal again
          POST   /control/ai-autocomplete/keys    {"add": KEY} or {"revoke": KEY}
          POST   /control/ai-autocomplete/revoke  {"token": TOKEN}, or no body for all tokens

          POST   /control/app-ai-gateway/keys      nothing to list them, {"app": APP, "add": KEY}, {"revoke": KEY} or
                                                   {"restore": KEY}
          POST   /control/app-ai-gateway/users     {"block": USER}, {"unblock": USER}, {"withhold_claims": USER} or
                                                   {"grant_claims": USER}
          POST   /control/app-ai-gateway/apps      {"disable": APP} or {"enable": APP}
          POST   /control/app-ai-gateway/settings  exchanges_per_minute, issuer_available, verify_on, opaque_tokens,
                                                   end_user_header, active_keys_per_app
          POST   /control/app-ai-gateway/revoke    {"token": TOKEN}, or no body for all tokens

          POST   /control/roadie/keys      nothing to list them, {"add": KEY} or {"revoke": KEY}
          POST   /control/roadie/users     {"block": USER}, {"unblock": USER}, {"exhaust": USER} or {"refill": USER}
          POST   /control/roadie/settings  {"requests_per_minute": N}
          POST   /control/roadie/revoke    {"token": TOKEN}, or no body for all tokens

          POST   /control/palbase/sessions        {"refresh_token": TEXT, "project": REF, "subject": USER,
                                                  "expires_in": SECONDS}, each optional
          POST   /control/palbase/revoke          {"session": ID}, {"token": TOKEN}, or no body for all access tokens
          POST   /control/palbase/keys            {"add": KEY} or {"revoke": KEY}

          POST   /control/new-api/keys            {"add": KEY, "signed": BOOL, "bundle_ids": [ID...]}, the last two
                                                  optional, or {"revoke": KEY}

          POST   /control/oauth2/clients          {"add": ID, "secret": TEXT, "scopes": [TEXT...], "allowed": BOOL}, the
                                                  last two optional, or {"remove": ID}
          POST   /control/oauth2/revoke           {"token": TOKEN}, or no body for all tokens

        A device with App Attest, of the app \(SimulatorOptions.demoAppID):
          POST   /control/device/attestation  {"challenge": TEXT, "app_id": ID, "environment": "production" or
                                              "development"}, the last two optional: a new key and its attestation
          POST   /control/device/proof        {"key_id": ID, "device_id": ID, "challenge": TEXT, "route": NAME,
                                              "method": TEXT, "target": TEXT, "body": TEXT, "counter": N}, the last two
                                              optional: X-Device-Proof for such a request

        Behaviour:
        \(behaviour)

        Three 503 answers, then as before:
          curl -X PUT http://127.0.0.1:PORT/control/ai-autocomplete/behaviour -d '{"status": 503, "times": 3}'

        """

    private static var behaviour: String {
        let times = "  times (1..\(BehaviourSchedule.mostTimes))\n      only for the next so many requests"
        let knobs = Knob.all.map { "  \($0.name) (\($0.values))\n      \($0.help)" }
        return (knobs + [times]).joined(separator: "\n")
    }
}
