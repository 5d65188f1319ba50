internal import ArgumentParser

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract:
            """
            Serve APNs and, if requested, FCM, the former binary gateway and a custom receiver on \
            loopback until SIGTERM or SIGINT.
            """,
        discussion: """
            Prints 'certs DIR' to standard output and, when it listens, a line 'NAME ADDRESS:PORT' for each
            gateway that is served: oauth, fcm, binary, feedback, custom, and finally apns. Prints the counts
            at the end. SIGUSR1 writes the summary file and flushes the log without stopping.

            Rules (--rules FILE):
            \(RuleBook.language)

            \(RuleBook.googleLanguage)

            \(RuleBook.customLanguage)

            \(RuleBook.binaryLanguage)

            Random faults (--random-faults SEED): faults that occur without rules, in a separate series on
            each port. They affect requests that the rules would have accepted. The seed determines the number
            of such requests before each fault. Every kind occurs once before any kind occurs again. tls
            affects every second to sixth connection, at random. The summary's 'faults' counts the faults \
            that occurred, by name.

            Example: pushsink run --apns-port 2197 --certs certs --rules rules.txt --summary summary.json
            """)

    @Option(help: "The port of APNs. 0 means any free port.")
    var apnsPort: UInt16 = 0

    @Option(help: "The address to listen on. It must be a loopback address.")
    var bind = "127.0.0.1"

    @Option(help: "The folder that 'pushsink certs' created. (default: a temporary one is created)")
    var certs: String?

    @Option(help: "SETTINGS_MAX_CONCURRENT_STREAMS.")
    var maxStreams: UInt32 = 1000

    @Option(
        help: "SETTINGS_MAX_CONCURRENT_STREAMS of token-based connections before their first success.")
    var initialStreams: UInt32 = 1

    @Option(name: .customLong("delay-ms"), help: "The delay before every answer, in milliseconds.")
    var delayMs: UInt64 = 0

    @Option(help: "A file of rules by token prefix. See below.")
    var rules: String?

    @Option(help: "A file to which column names and one tab-separated line per request are written.")
    var log: String?

    @Option(help: "A file for the counts as JSON, written at the end and on SIGUSR1.")
    var summary: String?

    @Option(
        help:
            """
            Accepted bundle ids, separated by commas. '*' means any. (default: the bundle id of the \
            certificates)
            """
    )
    var topics: String?

    @Flag(help: "Refuse TLS handshakes without a client certificate.")
    var requireClientCertificate = false

    @Flag(help: "Answer a bad client certificate with 403 BadCertificate instead of ending the handshake.")
    var answerBadCertificates = false

    @Option(
        name: .customLong("token-change-s"),
        help:
            """
            The minimum time between changes of a connection's provider token. Earlier changes receive \
            429 TooManyProviderTokenUpdates.
            """
    )
    var tokenChangeSeconds: UInt64 = 1200

    @Option(
        help:
            """
            The maximum number of valid requests to APNs per minute. Further requests receive 429 \
            TooManyRequests. 0 means no limit.
            """
    )
    var quotaPerMinute = 0

    @Flag(help: "Do not parse payloads and do not count distinct tokens and ids. For measurements.")
    var fast = false

    @Flag(
        help:
            """
            Add requestsBySecond to the summary: the number of requests to APNs in each second since the \
            first request.
            """
    )
    var bySecond = false

    @Option(
        name: .customLong("stop-after"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Stop (SIGSTOP) when a gateway has accepted this number of requests, until SIGCONT. Can be \
            repeated.
            """,
            valueName: "count"))
    var stopAfter: [Int] = []

    @OptionGroup(title: "FCM Options")
    var google: GoogleOptions

    @OptionGroup(title: "Custom Receiver Options")
    var custom: CustomOptions

    @OptionGroup(title: "Binary Gateway Options")
    var binary: BinaryOptions

    @OptionGroup(title: "RandomFaults Options")
    var randomFaults: RandomFaultOptions

    func validate() throws {
        try check(delayMs <= 86_400_000, "--delay-ms must be at most 86400000")
        try check(
            max(maxStreams, initialStreams) <= Int32.max, "the number of streams must be at most 2147483647")
        let stopsDiffer = Set(stopAfter.filter { $0 > 0 }).count == stopAfter.count
        try check(stopsDiffer, "--stop-after must be different numbers from 1")
        try check(quotaPerMinute >= 0, "--quota-per-minute must be a number from 0")
        try check(
            !(requireClientCertificate && answerBadCertificates),
            "--require-client-certificate and --answer-bad-certificates contradict each other")
    }

    func run() throws {
        let script = try randomFaults.script(rules, .apns)
        let set = try certificates()
        defer { if certs == nil { Files.removeDirectory(set.directory) } }
        let plan = SinkPlan(
            certificates: set, address: bind, isThorough: !fast, stopAfter: stopAfter,
            randomFaults: randomFaults)
        let reactor = try Reactor()
        let apns = try serve(plan, script)
        let others = try google.serve(plan) + binary.serve(plan) + custom.serve(plan)
        let served = others + [apns]
        let logs = served.compactMap(\.log)
        func summed() -> Summary {
            var summary = apns.summary
            if !others.isEmpty {
                summary.gateways = Dictionary(uniqueKeysWithValues: others.map { ($0.name, $0.summary) })
            }
            return summary
        }
        func report() throws(SinkError) {
            logs.forEach { $0.flush() }
            if let summary { try Files.replace(summary, with: summed().json) }
        }
        try report()
        reactor.add(apns.listener)
        for gateway in others { reactor.add(gateway.listener) }
        reactor.onSecond = { logs.forEach { $0.flush() } }
        reactor.onReport = { Terminal.complaining(report) }
        Terminal.say("certs \(set.directory)")
        for gateway in served { Terminal.say("\(gateway.name) \(plan.place(gateway.listener.port))") }
        reactor.run()
        try report()
        Terminal.say(summed().text)
        if let failure = logs.compactMap(\.failure).first { throw failure }
    }

    private func certificates() throws(SinkError) -> CertificateSet {
        if let certs { return try CertificateSet(directory: certs) }
        return try CertificateSet.make(in: Files.makeTemporaryDirectory())
    }

    private func serve(_ plan: SinkPlan, _ script: [any GatewayBehaviour]) throws(SinkError) -> ServedGateway
    {
        let counts = SinkCounts(
            countsDistinct: plan.isThorough, ids: \.distinctApnsIDs, stops: plan.stopAfter)
        if bySecond { counts.seen.requestsBySecond = [] }
        let bundles = topics.map { $0 == "*" ? [] : $0.split(separator: ",").map(String.init) }
        let gateway = APNsGateway(
            settings: APNsGateway.Settings(
                streams: maxStreams, streamsAtFirst: min(initialStreams, maxStreams),
                delay: .milliseconds(delayMs), tokenChangesEvery: .seconds(tokenChangeSeconds),
                requestsPerMinute: quotaPerMinute),
            contract: APNsContract(
                bundles: bundles ?? [plan.certificates.account.bundleID], checksPayload: plan.isThorough),
            tokens: ProviderTokens(keys: try plan.certificates.providerKeys()), behaviours: script,
            counts: counts, log: try RequestLog(file: log, columns: RequestLog.apnsColumns))
        let tls = try TLSIdentity(
            plan.certificates, alpn: "h2",
            clients: requireClientCertificate ? .required : answerBadCertificates ? .judged : .asked)
        return try plan.serve(
            "apns", gateway, port: apnsPort, tls: tls, door: randomFaults.door(of: .apns), alsoHTTP1: false)
    }
}
