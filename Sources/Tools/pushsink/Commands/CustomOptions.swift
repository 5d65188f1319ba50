internal import ArgumentParser

/// The options of `run` for a receiver of connector `custom`.
struct CustomOptions: ParsableArguments {
    @Option(
        help:
            """
            Serve a receiver for the connector custom (HTTP/2 and HTTP/1.1, any path, bearer token: the \
            content of project.key) on this port. 0 means any free port. (default: none)
            """
    )
    var customPort: UInt16?

    @Option(help: "A file of rules by token prefix for the custom receiver. See below.")
    var customRules: String?

    @Option(help: "A file to which one tab-separated line is written per message to the custom receiver.")
    var customLog: String?

    func validate() throws {
        try check(
            customPort != nil || customRules == nil && customLog == nil,
            "options of the custom receiver need --custom-port")
    }

    func serve(_ plan: SinkPlan) throws(SinkError) -> [ServedGateway] {
        guard let customPort else { return [] }
        let gateway = CustomGateway(
            secret: try plan.certificates.projectKey(),
            behaviours: try plan.randomFaults.script(customRules, .custom),
            counts: SinkCounts(countsDistinct: plan.isThorough, stops: plan.stopAfter),
            log: try RequestLog(file: customLog, columns: RequestLog.customColumns))
        return [
            try plan.serve(
                "custom", gateway, port: customPort,
                tls: try TLSIdentity(plan.certificates, alpn: "h2,http/1.1", clients: .asked),
                door: plan.randomFaults.door(of: .custom))
        ]
    }
}
