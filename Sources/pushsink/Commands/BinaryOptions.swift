internal import ArgumentParser

/// What `run` is told of the old binary gateway and its feedback service.
struct BinaryOptions: ParsableArguments {
    @Option(
        help:
            "Serve the binary gateway (commands 0, 1, 2) on this port; 0: any free one. (default: not served)"
    )
    var binaryPort: UInt16?

    @Option(help: "Serve the feedback service on this port; 0: any free one. (default: not served)")
    var feedbackPort: UInt16?

    @Option(help: "Rules by token prefix for the binary gateway; see below.")
    var binaryRules: String?

    @Option(help: "One tab-separated line per notification of the binary gateway.")
    var binaryLog: String?

    @Option(help: "What the feedback service tells, once for each change of the file; see below.")
    var feedback: String?

    func validate() throws {
        if binaryPort == nil, binaryRules != nil || binaryLog != nil {
            throw ValidationError("options of the binary gateway need --binary-port")
        }
        if feedbackPort == nil, feedback != nil { throw ValidationError("--feedback needs --feedback-port") }
    }

    /// Listeners and counts of what was asked for. A client without a certificate of our authority is refused
    /// in TLS; ALPN is not spoken.
    func serve(
        _ set: CertificateSet, bind: String, countsDistinct: Bool, randomFaults: RandomFaultOptions
    ) throws(SinkError) -> BinaryServing {
        var serving = BinaryServing()
        guard binaryPort != nil || feedbackPort != nil else { return serving }
        let tls = try TLSIdentity(
            identity: set.path(CertificateSet.Name.server),
            authority: set.path(CertificateSet.Name.authority),
            alpn: "", clients: .required)
        if let binaryPort {
            let book = randomFaults.over(try book(), of: .binary)
            if let binaryLog {
                serving.log = try RequestLog(file: binaryLog, columns: RequestLog.binaryColumns)
            }
            let counts = SinkCounts(countsDistinct: countsDistinct)
            let gateway = BinaryGateway(
                contract: BinaryContract(checksPayload: countsDistinct), behaviours: book, counts: counts,
                log: serving.log)
            let listener = try Listener(address: bind, port: binaryPort, tls: tls, counts: counts) {
                caller, host in
                BinaryConversation(gateway, caller: caller, host: host)
            }
            listener.door = randomFaults.door(of: .binary)
            serving.gateway = (listener, counts)
        }
        if let feedbackPort {
            let list = try feedback.map { file throws(SinkError) in try FeedbackList(file: file) }
            let counts = SinkCounts(countsDistinct: false)
            let listener = try Listener(address: bind, port: feedbackPort, tls: tls, counts: counts) { _, _ in
                let telling = Self.take(list)
                counts.tuplesTold += telling.tuples
                return FeedbackConversation(telling)
            }
            serving.feedback = (listener, counts)
        }
        return serving
    }

    /// A file that went wrong while we serve is complained of, and nothing is told.
    private static func take(_ list: FeedbackList?) -> FeedbackList.Telling {
        guard let list else { return FeedbackList.Telling() }
        do throws(SinkError) { return try list.take() } catch {
            Terminal.complain(error.description)
            return FeedbackList.Telling()
        }
    }

    private func book() throws(SinkError) -> [any GatewayBehaviour] {
        guard let binaryRules else { return [] }
        return [try RuleBook(text: Files.text(binaryRules), file: binaryRules, for: .binary)]
    }
}
