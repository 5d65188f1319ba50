internal import PushModel

/// The meanings of APNs' answers, in the order of ``APNsReasons/rows``. The facts are Apple's ("Handling
/// notification responses from APNs").
extension AnswerNote {
    /// The advice for parts of a request that PushMTA writes itself.
    private static let checkRelay =
        "If nmac/relay/@address is set, check that the relay does not change requests. Otherwise, report "
        + "this as a bug in PushMTA, and include the content of the delivery."

    static let badCollapseID = AnswerNote(
        .message, "The collapse id of the message is longer than 64 bytes.",
        advice: "Use a shorter ios.collapseId in the content, and submit the delivery again.")
    static let badDeviceToken = AnswerNote(
        .device,
        "The device token is malformed, or it belongs to the other environment (sandbox or production). "
            + "APNs slows down connections with many such tokens.",
        advice:
            "If many devices are affected, compare the app's environment in PushMTA with the environment of "
            + "the builds that register devices. Builds that Xcode installs receive sandbox tokens; "
            + "TestFlight and the App Store receive production tokens. If only a few devices are affected, "
            + "no action is needed: their apps register a new token.")
    static let deviceTokenNotForTopic = AnswerNote(
        .device, "The device token is valid, but belongs to an app with another bundle id.",
        advice:
            "Compare the app's bundle id in PushMTA with the bundle id of the builds that register devices. "
            + "Each bundle id needs a separate app in PushMTA, and so does each push type with separate "
            + "tokens, such as voip.")
    static let badExpirationDate = AnswerNote(
        .service, "The expiration time of the message is invalid.", advice: checkRelay)
    static let badMessageID = AnswerNote(
        .service, "The id of the request is not a UUID.", advice: checkRelay)
    static let badPriority = AnswerNote(
        .message, "The priority is not 10, 5 or 1, or the push type does not permit it.",
        advice:
            "Remove ios.priority from the content, so that the default of the push type applies. A silent "
            + "push must have priority 5.")
    static let invalidPushType = AnswerNote(
        .service, "APNs does not know the push type of the message, or does not accept it for this topic.",
        advice:
            "Check that ios.type in the content is suitable for the app and its credential. If "
            + "nmac/relay/@address is set, check that the relay knows the push type.")
    static let payloadEmpty = AnswerNote(
        .service, "The message has no payload.", advice: checkRelay)
    static let duplicateHeaders = AnswerNote(
        .service, "A header field occurs twice in the request.", advice: checkRelay)
    static let missingDeviceToken = AnswerNote(
        .service, "The request contains no device token.", advice: checkRelay)
    static let badTopic = AnswerNote(
        .account, "The topic, which is the bundle id with the suffix of the push type, is invalid.",
        advice:
            "Correct the app's bundle id with 'pushmta app update'; to correct waiting messages too, add "
            + "--live-deliveries. Xcode shows the bundle id of the app.")
    static let missingTopic = AnswerNote(
        .account, "The request has no topic, and the certificate is valid for more than one.",
        advice:
            "Set the app's bundle id with 'pushmta app update'; to set it for waiting messages too, add "
            + "--live-deliveries. If both the bundle id and nmac/relay/@address are set, check that the "
            + "relay forwards the apns-topic header field.")
    static let topicDisallowed = AnswerNote(
        .account, "The credential does not permit pushes to this topic.",
        advice:
            "Check that the bundle id belongs to the team of the key, or is one of the certificate's topics. "
            + "Keys can be restricted to certain topics, and certificates permit only some push types: see "
            + "the key or the certificate in Apple's developer account. Then correct the app with 'pushmta "
            + "app update'; to correct waiting messages too, add --live-deliveries.")
    static let idleTimeout = AnswerNote(
        .network, "APNs closed a connection because it had been idle for a long time.",
        advice: "No action is needed.")
    static let badCertificate = AnswerNote(
        .account, "APNs does not accept the certificate: it has expired, was revoked, or is not for pushes.",
        advice:
            "Create a new certificate in Apple's developer account and give it to the app with 'pushmta app "
            + "update'. 'pushmta explain' shows when the current certificate expires.")
    static let badCertificateEnvironment = AnswerNote(
        .account, "The certificate is for the other environment (sandbox or production).",
        advice:
            "Give the app a certificate for its environment with 'pushmta app update'. Apple's certificates "
            + "of the kind Apple Push Services serve both environments.")
    static let expiredProviderToken = AnswerNote(
        .account, "The provider token that PushMTA signs with the key is more than one hour old.",
        advice:
            "Check this machine's clock and its time service. PushMTA renews the token before it expires, so "
            + "the usual cause is a wrong clock.")
    static let invalidProviderToken = AnswerNote(
        .account,
        "APNs cannot verify the provider token: the key, its key id or the team id is wrong, or the key was "
            + "revoked.",
        advice:
            "Compare the key id and the team id with Apple's developer account, and give the app the correct "
            + "key with 'pushmta app update'. Also check this machine's clock.")
    static let missingProviderToken = AnswerNote(
        .account, "The request contains neither a provider token nor a certificate that APNs accepts.",
        advice:
            "Give the app a token key (.p8), or a certificate for pushes, with 'pushmta app update'. If "
            + "nmac/relay/@address is set, check that the relay forwards the authorization header field.")
    static let forbidden = AnswerNote(
        .unclear, "APNs refuses the request without stating the cause.",
        advice:
            "Check in Apple's developer account that the key or certificate, the app and the membership are "
            + "valid. If only some messages are refused, compare their push types.")
    static let unrelatedKeyID = AnswerNote(
        .account,
        "The connection was previously used with another key, and APNs does not accept two keys on one "
            + "connection.",
        advice:
            "If the problem persists, run 'pushmta app test' and check that the app's key belongs to its "
            + "team. PushMTA opens a new connection by itself.")
    static let badEnvironmentKeyID = AnswerNote(
        .account, "The key is for the other environment (sandbox or production).",
        advice:
            "Give the app a key for its environment with 'pushmta app update'. Apple's developer account "
            + "shows the environment of each key.")
    static let badPath = AnswerNote(
        .service, "APNs does not know the path of the request.", advice: checkRelay)
    static let methodNotAllowed = AnswerNote(
        .service, "APNs does not accept the method of the request.", advice: checkRelay)
    static let expiredToken = AnswerNote(
        .device, "The device token has expired.",
        advice: "No action is needed: the app registers a new token when it starts.")
    static let unregistered = AnswerNote(
        .device,
        "The device token is no longer valid for the topic: the app was removed, or the device has a new "
            + "token. The answer contains the time at which APNs detected this. A device that registered "
            + "after that time stays valid.",
        advice: "No action is needed: the device receives messages again after it has registered.")
    static let payloadTooLarge = AnswerNote(
        .message, "The payload is larger than APNs permits: 4096 bytes, or 5120 bytes for voip.",
        advice:
            "Shorten the texts, variables or custom data of the content, and submit the delivery again. "
            + "PushMTA checks the limit itself, so a relay with a smaller limit may be the cause.")
    static let tooManyProviderTokenUpdates = AnswerNote(
        .account, "The provider token was changed more than once in 20 minutes.",
        advice:
            "Check whether a proxy or relay replaces the token, and whether the service restarts repeatedly. "
            + "PushMTA itself uses each token for longer than 20 minutes.")
    static let tooManyRequests = AnswerNote(
        .service, "Too many messages were sent to the same device within a short time.",
        advice:
            "Send fewer messages to each device. A frequency cap limits how many messages a device receives.")
    static let internalServerError = AnswerNote(
        .gateway, "APNs has a problem.",
        advice: "If the problem persists, see Apple's system status page. Messages wait in the meantime.")
    static let serviceUnavailable = AnswerNote(
        .gateway, "APNs is temporarily unavailable.",
        advice: "If the problem persists, see Apple's system status page. Messages wait in the meantime.")
    static let shutdown = AnswerNote(
        .gateway, "The APNs server is shutting down and did not process the message.",
        advice: "No action is needed: another server takes over.")

    static let unknownToAPNsTable = AnswerNote(
        .unclear,
        "APNs, a proxy or a relay returned an error with an unknown reason or without a reason. The status "
            + "alone determines how PushMTA reacts. PushMTA treats every reason that is not on this page in "
            + "this way.",
        advice: "Look up the reason in Apple's documentation. If there is no reason, check the proxy and the "
            + "relay.")
    static let lostToAPNs = AnswerNote(
        .network,
        "The connection to APNs was lost, or APNs did not answer in time. The device may already have "
            + "received the message. If so, it may receive the message twice.",
        advice:
            "If the problem persists, check the network, the firewall and the proxy between this machine and "
            + "APNs. The setting nmac/iosHTTP2/@requestTimeoutSec sets how long PushMTA waits for an answer.")
    static let noConnectionToAPNs = AnswerNote(
        .network, "No connection to APNs could be opened.",
        advice:
            "Check name resolution, the firewall (port 443, or the port of the relay) and the proxy "
            + "settings. 'pushmta explain' shows the host and port that the app's account uses.")
    static let streamRefusedByAPNs = AnswerNote(
        .gateway, "APNs closed the connection or refused the request without processing it.",
        advice: "No action is needed.")
    static let tlsToAPNs = AnswerNote(
        .account, "The TLS handshake with APNs failed, or the credential cannot be used.",
        advice:
            "Check that the app's certificate or key is complete and has not expired, and that this machine "
            + "trusts the gateway's certificate. For a relay, nmac/relay/@trustedCertsChain contains "
            + "the authorities to trust.")
}
