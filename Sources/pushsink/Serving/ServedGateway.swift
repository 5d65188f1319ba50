/// A gateway over HTTP/2 and HTTP/1.1 on a port of its own: ALPN decides, and who offers nothing speaks
/// HTTP/1.1.
final class ServedGateway {
    let listener: Listener
    let ledger: Ledger
    private let kind: HTTP2Kind

    init(
        _ gateway: any HTTPGateway, _ ledger: Ledger, address: String, port: UInt16, tls: TLSIdentity,
        door: Door? = nil
    ) throws(SinkError) {
        let kind = HTTP2Kind(gateway)
        self.kind = kind
        self.ledger = ledger
        listener = try Listener(address: address, port: port, tls: tls, ledger: ledger) { caller, host in
            if caller.choseHTTP2 {
                return HTTP2Conversation(kind, caller: caller, ledger: ledger, host: host)
            }
            return HTTP1Conversation(kind, caller: caller, ledger: ledger, host: host)
        }
        listener.door = door
    }

    var summary: Summary { ledger.summary(peak: kind.peak) }
}

/// FCM and its OAuth endpoint.
struct GoogleServing {
    let fcm: ServedGateway
    let oauth: ServedGateway
    let log: RequestLog?

    var named: [(String, Listener)] { [("oauth", oauth.listener), ("fcm", fcm.listener)] }

    /// By name, with the counts that only these have.
    var summaries: [String: Summary] {
        var fcmSummary = fcm.summary, oauthSummary = oauth.summary
        fcmSummary.messages = fcm.ledger.messages
        fcmSummary.validatedOnly = fcm.ledger.validatedOnly
        fcmSummary.resultErrors = fcm.ledger.resultErrors
        fcmSummary.canonicalIDs = fcm.ledger.canonicalIDs
        // Of Apple's.
        fcmSummary.distinctApnsIDs = nil
        oauthSummary.tokensIssued = oauth.ledger.tokensIssued
        return ["fcm": fcmSummary, "oauth": oauthSummary]
    }
}
