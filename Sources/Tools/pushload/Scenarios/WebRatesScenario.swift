internal import ArgumentParser
internal import Glibc
internal import Hummingbird
internal import Logging

/// The bare server and the web module are measured alternately in the same run, because rates differ between
/// machines, and on the same machine from hour to hour.
struct WebRatesScenario: Scenario {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Measure how many requests a second the web module answers, compared with a bare server.",
        discussion: """
            Sends reports of devices, registrations and single messages with wrk (Debian's package of that \
            name) over connections that are kept open, while no delivery runs. Each request is answered \
            after its commit. Alternates with a bare Hummingbird server that answers with a greeting. wrk \
            runs on the same cores as the server. Prints a table for Docs/Inside/Measurements.md. Exit \
            status 0: all requests were answered as expected. The rates do not affect the status.

            Example: pushload web --seconds 5 --rounds 1
            """)

    @Option(help: .seconds("The duration of each measurement.")) var seconds = 10
    @Option(help: .count("The number of connections that are kept open.")) var connections = 64
    @Option(help: .count("The number of messages that devices report.")) var devices = 50_000
    @Option(help: .count("The number of repetitions of all measurements.")) var rounds = 3
    @Option(help: .store) var store = TestbedSettings.usualStore

    static let tool = "/usr/bin/wrk"

    var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["seconds": 1...3_600, "connections": 1...900, "devices": 1...1_000_000, "rounds": 1...100]
    }

    func checkOptions() throws {
        guard unsafe access(Self.tool, X_OK) == 0 else {
            throw ValidationError(LoadError.notInstalled(Self.tool, debianPackage: "wrk").description)
        }
    }

    var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.web = true
            $0.keepsWebPort = true
            $0.gateway.streams = 1_000
        }
    }

    /// The figures that the tool reported for one run.
    struct Figures {
        let answered: Int
        /// The number of answers with a status other than 2xx, and of requests without an answer.
        let bad: Int
        let perSecond: Double
        let p99Milliseconds: Double
        let slowestMilliseconds: Double
        /// The server's CPU time per request.
        var microsecondsEach = 0.0

        /// - Parameter output: The output lines, including the line that ``WebScripts/done`` prints.
        init?(_ output: [String]) {
            let words = output.first { $0.hasPrefix("figures ") }?.split(separator: " ") ?? []
            let numbers = words.compactMap { Double($0) }
            guard numbers.count == 5 else { return nil }
            (answered, bad, perSecond) = (Int(numbers[0]), Int(numbers[1]), numbers[0] / numbers[2] * 1e6)
            (p99Milliseconds, slowestMilliseconds) = (numbers[3] / 1_000, numbers[4] / 1_000)
        }
    }

    /// - Parameter say: Prints one row of the table at a time.
    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        try await testbed.begin([(.ios, .init(devices))])
        try await testbed.settle(try await testbed.submit())
        // Single messages are not sent to a gateway. The measurement covers how the service accepts and
        // records them.
        try await testbed.finish()
        try testbed.reconfigure { $0.verifyMode = true }
        try await testbed.startEngine()
        let hello = try testbed.start(testbed.programs.pushload, ["hello"])
        defer { hello.killAndReap() }
        let port = try await Waiting.until("the bare server to listen") {
            try hello.requireRunning()
            return Int(Folder.text(hello.output).firstLine)
        }
        let scripts = try WebScripts(try testbed.reportableIDs(), in: testbed)
        func measureBare() async throws -> Figures {
            try await measure(testbed, hello, port: port, script: try scripts.file("bare", ""))
        }
        // The kinds of requests, and the required proportions of the bare server's rate.
        let kinds = [
            ("hits", 0.6, scripts.hits), ("registrations", 0.4, scripts.registrations),
            ("single messages", 0.25, scripts.messages),
        ]
        say("| requests | per second | share of bare | server CPU, us | p99, ms | slowest, ms | not 2xx |")
        say("|---|--:|--:|--:|--:|--:|--:|")
        var bad = 0
        for _ in 0..<rounds {
            var before = try await measureBare()
            say(row("bare Hummingbird", before, share: nil))
            for (kind, wanted, text) in kinds {
                guard let engine = testbed.engine else { throw LoadError("the engine has ended") }
                let script = try scripts.file(kind, text)
                let figures = try await measure(testbed, engine, port: testbed.ports.web, script: script)
                let after = try await measureBare()
                let share = figures.perSecond / ((before.perSecond + after.perSecond) / 2)
                say(row("\(kind) (wanted \(wanted))", figures, share: share))
                bad += figures.bad
                before = after
            }
        }
        return Verdict([.answered(bad: bad)])
    }

    private func row(_ name: String, _ figures: Figures, share: Double?) -> String {
        tableRow([
            name, figures.perSecond.fixed(0), share?.fixed(2) ?? "1", figures.microsecondsEach.fixed(1),
            figures.p99Milliseconds.fixed(1), figures.slowestMilliseconds.fixed(1), "\(figures.bad)",
        ])
    }

    // MARK: The tool

    private func measure(
        _ testbed: Testbed, _ server: RunningProcess, port: Int, script: String
    ) async throws -> Figures {
        let arguments = [
            "-t", "1", "-c", "\(connections)", "-d", "\(seconds)s", "--timeout", "30s", "-s", script,
        ]
        let before = ProcessFigures(of: server.processID)?.ownSeconds ?? 0
        let tool = try testbed.start(Self.tool, arguments + ["http://127.0.0.1:\(port)/"])
        let ending = try await tool.end(within: .seconds(seconds + 120))
        let used = (ProcessFigures(of: server.processID)?.ownSeconds ?? 0) - before
        guard ending.status == 0, var figures = Figures(Folder.lines(of: tool.output)) else {
            throw LoadError("wrk: \(ending): \(Folder.text(tool.complaints).prefix(300))")
        }
        figures.microsecondsEach = used * 1e6 / Double(max(figures.answered, 1))
        return figures
    }
}

/// The requests of wrk, as scripts in its own language. wrk shares the cores with the server that it
/// measures, so requests are prepared in advance as far as possible.
struct WebScripts {
    let testbed: Testbed

    /// - Parameter ids: The `<message>,<delivery>` of messages that were sent.
    init(_ ids: [String], in testbed: Testbed) throws(LoadError) {
        self.testbed = testbed
        try testbed.folder.write(ids.joined(separator: "\n") + "\n", to: "ids.txt")
    }

    /// Writes a script that prints its figures at the end.
    func file(_ name: String, _ text: String) throws(LoadError) -> String {
        try testbed.folder.write(text + Self.done, to: "\(name).lua")
        return testbed.folder.file("\(name).lua")
    }

    /// The function that prints the figures at the end. Times are in microseconds.
    private static let done = """

        done = function(summary, latency)
          local errors = summary.errors
          local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
          print(string.format("figures %d %d %d %d %d", summary.requests, bad, summary.duration,
            latency:percentile(99), latency.max))
        end

        """

    /// A script that reports each message first as received and then as clicked, and then repeats these
    /// reports.
    var hits: String {
        """
        local requests = {}
        init = function(args)
          for kind = 1, 2 do
            for id in io.lines("\(testbed.folder.file("ids.txt"))") do
              requests[#requests + 1] = wrk.format("GET", "/r/?id=h" .. id .. "," .. kind)
            end
          end
        end
        local n = 0
        request = function()
          n = n % #requests + 1
          return requests[n]
        end
        """
    }

    /// Registrations of new devices, with the data that an SDK sends.
    var registrations: String {
        var form = DeviceForm(isAndroid: false, token: "TOKEN", integrationKey: Testbed.app)
        (form.userKey, form.name, form.model) = ("USER", "Ada's phone", "iPhone 16")
        (form.brand, form.manufacturer) = ("Apple", "Apple")
        (form.osName, form.osVersion, form.language) = ("iOS", "18.1", "en")
        form.parameters = [("firstName", "Ada"), ("city", "London")]
        let parts = form.body.split(separator: "TOKEN", maxSplits: 1)
        let rest = (parts.last ?? "").split(separator: "USER", maxSplits: 1)
        return """
            math.randomseed(os.time())
            local run = string.format("%08x", math.random(0, 2147483647))
            local token, user, number = string.rep("T", 64), string.rep("U", 17), "%08x"
            local n, head, middle, tail = 0
            init = function(args)
              local form = wrk.format("POST", "\(form.path)",
                {["Content-Type"] = "application/x-www-form-urlencoded;charset=UTF-8"},
                "\(parts.first ?? "")" .. token .. "\(rest.first ?? "")" .. user .. "\(rest.last ?? "")")
              local t, u = form:find(token, 1, true), form:find(user, 1, true)
              head = form:sub(1, t - 1) .. run .. string.rep("0", 48)
              middle = form:sub(t + #token, u - 1) .. "u" .. run
              tail = form:sub(u + #user)
            end
            request = function()
              n = n + 1
              local each = number:format(n)
              return head .. each .. middle .. each .. tail
            end
            """
    }

    var messages: String {
        let device = SyntheticSubscribers(1).token(0)
        return """
            wrk.method = "POST"
            wrk.path = "/api/v1/messages"
            wrk.headers["Authorization"] = "Bearer \(testbed.apiToken)"
            wrk.headers["Content-Type"] = "application/json"
            wrk.body = [[{"app": "\(Testbed.app)", "token": "\(device)", \
            "content": {"title": "Your code", "body": "Number 4711"}}]]
            local message
            init = function(args)
              message = wrk.format()
            end
            request = function() return message end
            """
    }
}

/// The reference for the web module's rates: the same server library without an application.
struct Hello: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hello",
        abstract: "Serve a bare Hummingbird server that answers with a greeting, for comparison.",
        shouldDisplay: false)

    func run() async throws {
        let router = Router()
        router.get("/") { _, _ in "hello" }
        let app = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in Terminal.line("\(channel.localAddress?.port ?? 0)") },
            logger: Logger(label: "hello") { _ in SwiftLogNoOpLogHandler() })
        try await app.runService()
    }
}
