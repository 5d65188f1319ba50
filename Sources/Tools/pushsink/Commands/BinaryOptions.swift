internal import ArgumentParser

/// The options of `run` for the old binary gateway and its feedback service.
struct BinaryOptions: ParsableArguments {
    @Option(
        help:
            """
            Serve the binary gateway (commands 0, 1, 2) on this port. 0 means any free port. (default: \
            not served)
            """
    )
    var binaryPort: UInt16?

    @Option(help: "Serve the feedback service on this port. 0 means any free port. (default: not served)")
    var feedbackPort: UInt16?

    @Option(help: "A file of rules by token prefix for the binary gateway. See below.")
    var binaryRules: String?

    @Option(help: "A file to which one tab-separated line is written per notification to the binary gateway.")
    var binaryLog: String?

    @Option(
        help:
            "A file of tuples that the feedback service returns once for each change of the file. See below.")
    var feedback: String?

    func validate() throws {
        try check(
            binaryPort != nil || binaryRules == nil && binaryLog == nil,
            "options of the binary gateway need --binary-port")
        try check(feedbackPort != nil || feedback == nil, "--feedback needs --feedback-port")
    }

    /// Serves the gateways that the options request. TLS refuses a client without a certificate from our
    /// authority. ALPN is not used.
    func serve(_ plan: SinkPlan) throws(SinkError) -> [ServedGateway] {
        guard binaryPort != nil || feedbackPort != nil else { return [] }
        let tls = try TLSIdentity(plan.certificates, alpn: "", clients: .required)
        var served: [ServedGateway] = []
        if let binaryPort {
            let script = try plan.randomFaults.script(binaryRules, .binary)
            let log = try RequestLog(file: binaryLog, columns: RequestLog.binaryColumns)
            // Pairs of token and payload are counted in place of ids.
            let counts = SinkCounts(countsDistinct: plan.isThorough, ids: \.distinctMessages)
            let gateway = BinaryGateway(
                contract: BinaryContract(checksPayload: plan.isThorough), behaviours: script, counts: counts,
                log: log)
            served.append(
                try plan.serve(
                    "binary", port: binaryPort, tls: tls, counts: counts, log: log,
                    door: plan.randomFaults.door(of: .binary)
                ) { caller, host in
                    BinaryConversation(gateway, caller: caller, host: host)
                })
        }
        if let feedbackPort {
            let list = try FeedbackList(file: feedback)
            let counts = SinkCounts(countsDistinct: false)
            counts.seen.tuplesTold = 0
            served.append(
                try plan.serve("feedback", port: feedbackPort, tls: tls, counts: counts) { _, _ in
                    // If the file becomes invalid while the service runs, the sink prints a complaint and
                    // sends nothing.
                    let batch = Terminal.complaining(list.take) ?? FeedbackList.Batch()
                    counts.seen.tuplesTold? += batch.tuples
                    return FeedbackConversation(batch)
                })
        }
        return served
    }
}
