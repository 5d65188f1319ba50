/// A gateway over HTTP/2 and HTTP/1.1 on a port of its own: ALPN decides, and who offers nothing speaks
/// HTTP/1.1.
final class ServedGateway {
    let listener: Listener
    let counts: SinkCounts
    private let kind: HTTP2Kind

    init(
        _ gateway: any HTTPGateway, _ counts: SinkCounts, address: String, port: UInt16, tls: TLSIdentity,
        door: Door? = nil
    ) throws(SinkError) {
        let kind = HTTP2Kind(gateway)
        self.kind = kind
        self.counts = counts
        listener = try Listener(address: address, port: port, tls: tls, counts: counts) { caller, host in
            if caller.choseHTTP2 {
                return HTTP2Conversation(kind, caller: caller, counts: counts, host: host)
            }
            return HTTP1Conversation(kind, caller: caller, counts: counts, host: host)
        }
        listener.door = door
    }

    var summary: Summary { counts.summary(peak: kind.peak) }
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
        fcmSummary.messages = fcm.counts.messages
        fcmSummary.validatedOnly = fcm.counts.validatedOnly
        fcmSummary.resultErrors = fcm.counts.resultErrors
        fcmSummary.canonicalIDs = fcm.counts.canonicalIDs
        // Of Apple's.
        fcmSummary.distinctApnsIDs = nil
        oauthSummary.tokensIssued = oauth.counts.tokensIssued
        return ["fcm": fcmSummary, "oauth": oauthSummary]
    }
}
