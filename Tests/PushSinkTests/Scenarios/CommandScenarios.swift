import Glibc
import Testing
import pushsink

@Suite struct CommandScenarios {
    @Test(
        arguments: [
            (["run", "--frobnicate"], 2, "frobnicate"),
            (["run", "--apns-port", "99999"], 2, "apns-port"),
            (["run", "--require-client-certificate", "--answer-bad-certificates"], 2, "contradict"),
            (["run", "--binary-rules", "rules"], 2, "need --binary-port"),
            (["run", "--feedback", "list"], 2, "needs --feedback-port"),
            (
                ["run", "--binary-port", "0", "--binary-rules", "/nonexistent/rules"], 1,
                "cannot read /nonexistent/rules"
            ),
            (["certs"], 2, "directory"),
            (["certs", "/tmp", "--key-id", "short"], 2, "ten letters or digits"),
            (["run", "--rules", "/nonexistent/rules"], 1, "cannot read /nonexistent/rules"),
            (
                ["run", "--certs", "/nonexistent/certs"], 1,
                "'pushsink certs /nonexistent/certs' creates a set"
            ),
            (["run", "--log", "/nonexistent/log"], 1, "cannot write /nonexistent/log"),
            (["run", "--summary", "/nonexistent/summary"], 1, "cannot write /nonexistent/summary"),
            (["run", "--bind", "0.0.0.0"], 1, "cannot listen on 0.0.0.0"),
            (["run", "--bind", "192.168.1.1"], 1, "this machine only"),
            (["run", "--bind", "::"], 1, "this machine only"),
            (["certs", "/proc/nowhere"], 1, "cannot write /proc/nowhere"),
        ] as [([String], Int32, String)])
    func `invalid input is reported with an explanation and an exit code`(
        arguments: [String], status: Int32, text: String
    )
        throws
    {
        let result = try SinkProgram.run(arguments)
        #expect(result.status == status && result.errors.contains(text), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func `a port that is in use is reported in one clear line`() throws {
        let sink = try Sink()
        let result = try SinkProgram.run(["--apns-port", "\(sink.port)"])
        #expect(result.status == 1)
        #expect(
            result.errors
                == "pushsink: cannot listen on 127.0.0.1 port \(sink.port): Address already in use; "
                + "choose another port, or 0 for any free port\n")
        _ = try sink.stop()
    }

    @Test func `a wrong rule is reported in one clear line`() throws {
        let directory = try Files.makeTemporaryDirectory()
        defer { Files.removeDirectory(directory) }
        try Files.replace("\(directory)/rules", with: Array("* explode\n".utf8))
        let result = try SinkProgram.run(["--rules", "\(directory)/rules"])
        #expect(
            result.status == 1
                && result.errors.hasPrefix("pushsink: \(directory)/rules:1: unknown word 'explode'"))
    }

    @Test func `certificates are deleted when the sink ends, unless a folder for them was named`() throws {
        let directory = try Files.makeTemporaryDirectory()
        defer { Files.removeDirectory(directory) }
        let program = try SinkProgram([], in: directory)
        while program.isRunning, !program.output.contains("apns ") { usleep(2000) }
        let certificates = try #require(program.output.firstMatch(of: /^certs (.+)\n/)?.1)
        #expect(Files.exists("\(certificates)/apns.json"))
        #expect(program.end() == 0)
        #expect(!Files.exists(String(certificates)))
    }

    @Test func `the help lists the rules`() throws {
        let result = try SinkProgram.run(["run", "--help"])
        #expect(
            result.status == 0 && result.output.contains("status CODE REASON")
                && result.output.contains("each N"))
    }

    @Test func `a running sink prints its counts on request`() throws {
        let sink = try Sink()
        let probe = try Probe(sink)
        probe.push(authorization: try sink.bearer())
        #expect(probe.answer() == "200")
        let summary = try sink.summary { $0.accepted == 1 }
        #expect(summary.connections == 1 && summary.waiting == 0)
        #expect(try LogLine.all(in: "\(sink.directory)/log").count == 1)
        _ = try sink.stop()
    }
}
