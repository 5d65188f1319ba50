/// The settings of the web module, and of the reports from devices.
extension ConfigurationKey {
    static let web =
        element(
            "web",
            [
                .init(
                    "autoStart", \.web.autoStart, .bool, .campaign,
                    "Whether `run` starts the listener: devices, the API, `/healthz`, `/readyz`, `/metrics`."
                ).onlyAtStart,
                .init(
                    "bind", \.web.bind, .host, .ours,
                    "The address on which the web module listens; `0.0.0.0` means all addresses of the "
                        + "machine."
                ).onlyAtStart,
                .init(
                    "httpPort", \.web.httpPort, .count(0...65_535), .campaign,
                    "The port on which the web module listens; 0 means any free port."
                ).onlyAtStart,
                .init(
                    "adminBind", \.web.adminBind, .host, .ours,
                    "The address on which `adminPort` listens."
                ).onlyAtStart,
                .init(
                    "adminPort", \.web.adminPort, .optionalListenerPort, .ours,
                    """
                    A second port, for `/metrics`, `/healthz`, `/readyz` and the API. `httpPort` then \
                    answers only registrations and reports of devices. 0 means any free port. Without a \
                    value, `httpPort` answers everything.
                    """
                ).onlyAtStart,
                .init(
                    "console", \.web.console, .bool, .ours,
                    """
                    Whether the web module answers the console, below `/console/`: on `adminPort` if that is \
                    set, and otherwise on `httpPort`.
                    """
                ).onlyAtStart,
                .init(
                    "publicUrl", \.web.publicURL, .optionalURL, .ours,
                    """
                    The URL at which devices reach the web module, such as `https://push.example.com`: that \
                    of a reverse proxy, if there is one. `app integration` prints it for app developers.
                    """
                ),
                .init(
                    "apiTokenFile", \.web.apiTokenFile, .path, .ours,
                    """
                    The file that contains the first API token. The web module creates the file and its \
                    folder at its first start if you do not supply the file.
                    """
                ).onlyAtStart,
                .init(
                    "certificateChain", \.web.certificateChain, .optionalPath, .ours,
                    """
                    A PEM file, starting with the server's certificate. With `privateKey`, enables HTTPS \
                    instead of HTTP. Reloaded when it changes.
                    """
                ).onlyAtStart,
                .init(
                    "privateKey", \.web.privateKey, .optionalPath, .ours,
                    """
                    A PEM file. With `certificateChain`, enables HTTPS instead of HTTP. Reloaded when it \
                    changes.
                    """
                ).onlyAtStart,
                .init(
                    "maxConnections", \.web.maxConnections, .count(16...100_000), .ours,
                    """
                    The maximum number of open connections. At the maximum, each new connection closes a \
                    connection that is waiting for its client.
                    """
                ),
                .init(
                    "keepAliveSec", \.web.keepAliveSec, .seconds(1...86_400), .ours,
                    """
                    How long a connection is kept open between two requests. This time must be longer than \
                    the keep-alive time of a load balancer in front of PushMTA.
                    """
                ),
                .init(
                    "maxRequestsPerSecondPerAddress", \.web.maxRequestsPerSecondPerAddress,
                    .count(0...1_000_000), .ours,
                    """
                    The maximum number of requests per second from one address. Clients that exceed it \
                    receive 429. An IPv6 client is identified by the first 64 bits of its address; clients \
                    on this machine are not counted. 0: no limit.
                    """
                ),
                .init(
                    "trustedProxies", \.web.trustedProxies, .networks, .ours,
                    """
                    Peers whose `X-Forwarded-For` is trusted: a reverse proxy's address or network, such \
                    as `10.0.0.0/8`.
                    """
                ),
                .init(
                    "personHeader", \.web.personHeader, .optionalHeader, .ours,
                    """
                    A header field in which a proxy of `trustedProxies` states who uses the console, such as \
                    `X-Forwarded-User`. The proxy must remove this field from all requests of browsers.
                    """
                ),
            ])
        + openID
        + element(
            "tracking",
            [
                .init(
                    "messageIdFormat", \.tracking.messageIDFormat, .word, .ours,
                    "The format of `_mId` for apps that do not choose one.")
            ])
        + element(
            "trackinglogd",
            [
                .init(
                    "autoStart", \.trackinglogd.autoStart, .bool, .campaign,
                    "Whether impressions and clicks are recorded."
                ).onlyAtStart
            ])
}
