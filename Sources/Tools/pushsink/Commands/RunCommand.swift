internal import ArgumentParser

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract:
            "Serve APNs, and FCM, the old binary gateway and a custom receiver if asked, on loopback until SIGTERM or SIGINT.",
        discussion: """
            Standard output says 'certs DIR' and, once it listens, a line 'NAME ADDRESS:PORT' for each gateway that is
            served: oauth, fcm, binary, feedback, custom, and last of all apns. At the end the counts.
            SIGUSR1 writes the summary file and flushes the log without stopping.

            Rules (--rules FILE):
            \(RuleBook.language)

            \(RuleBook.googleLanguage)

            \(RuleBook.customLanguage)

            \(RuleBook.binaryLanguage)

            Random faults (--random-faults SEED): faults that come by themselves, on each port a series of its own. They strike
            requests that the rules would have accepted, each after a number of such requests that the seed decides, and
            every kind comes once before any comes again; tls strikes one of two to six connections. The summary's
            'faults' counts by name what came to pass.
            """)

    @Option(help: "The port; 0: any free one.")
    var apnsPort: UInt16 = 0

    @Option(help: "The address; a loopback one.")
    var bind = "127.0.0.1"

    @Option(help: "Directory made by 'pushsink certs'. (default: a temporary one is made)")
    var certs: String?

    @Option(help: "SETTINGS_MAX_CONCURRENT_STREAMS.")
    var maxStreams: UInt32 = 1000

    @Option(help: "The same for token-based connections until their first accepted request.")
    var initialStreams: UInt32 = 1

    @Option(name: .customLong("delay-ms"), help: "Wait before every answer.")
    var delayMs: UInt64 = 0

    @Option(help: "Rules by token prefix; see below.")
    var rules: String?

    @Option(help: "One tab-separated line per request; its first line names the columns.")
    var log: String?

    @Option(help: "Counts as JSON, written at the end and on SIGUSR1.")
    var summary: String?

    @Option(
        help: "Bundle ids that are taken, with commas; '*': any. (default: the bundle id of the certificates)"
    )
    var topics: String?

    @Flag(help: "No TLS handshake without a client certificate.")
    var requireClientCertificate = false

    @Flag(help: "A bad client certificate is answered 403 BadCertificate instead of ending the handshake.")
    var answerBadCertificates = false

    @Option(
        name: .customLong("token-change-s"),
        help: "A connection that changes its provider token sooner is told 429 TooManyProviderTokenUpdates.")
    var tokenChangeSeconds: UInt64 = 1200

    @Option(help: "Valid requests to APNs per minute, then 429 TooManyRequests; 0: no limit.")
    var quotaPerMinute = 0

    @Flag(help: "For measuring: do not parse payloads, do not count distinct tokens and ids.")
    var fast = false

    @Flag(help: "The summary has the requests to APNs by the second since the first: requestsBySecond.")
    var bySecond = false

    @Option(
        name: .customLong("stop-after"), parsing: .singleValue,
        help: ArgumentHelp(
            "Stop (SIGSTOP) when a gateway has accepted so many requests, until SIGCONT. May be repeated.",
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
        try check(delayMs <= 86_400_000, "--delay-ms needs a number up to 86400000")
        try check(max(maxStreams, initialStreams) <= Int32.max, "a number of streams is at most 2147483647")
        let stopsDiffer = Set(stopAfter.filter { $0 > 0 }).count == stopAfter.count
        try check(stopsDiffer, "--stop-after needs different numbers from 1")
        try check(quotaPerMinute >= 0, "--quota-per-minute needs a number from 0")
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
