import Foundation
import PushSystem
import TestSupport
import Testing
import pushload

extension EndToEnd.Accounts {
    @Test
    func `an operator's own connector reaches every device through the documented receiver`() async throws {
        guard InstalledProgram.isThere(ExampleReceiver.python, debianPackage: "python3") else { return }
        try await withTestbed { testbed in
            let receiver = try ExampleReceiver(in: testbed.folder.path)
            defer { receiver.stop() }
            try testbed.addSettings(
                #"<custom url="http://127.0.0.1:\#(receiver.port)/push" secretFile="\#(receiver.secretFile)"/>"#
            )
            try await testbed.createService()
            try await testbed.succeed([
                "app", "create", "sms", "--service", Testbed.service, "--platform", "other", "--connector",
                "custom", "--integration-key", "sms", "--bundle-id", "sms",
            ])
            let test = try await testbed.succeed(["app", "test", "sms"])
            #expect(test.output.contains("tokenDead"), "\(test.output)")
            let csv = testbed.folder.file("people.csv")
            let people = (0..<500).map { "+39061234\($0),user\($0)" } + (0..<7).map { "gone\($0),left\($0)" }
            try Data("token,userKey\n\(people.joined(separator: "\n"))\n".utf8).write(
                to: URL(fileURLWithPath: csv))
            try await testbed.succeed(["subscribers", "import", csv, "--app", "sms"])
            try await testbed.startEngine()
            let delivery = try await testbed.submit(DeliveryText(apps: ["sms"]))
            let report = try await testbed.settle(delivery)
            #expect(report.counts.sent == 500 && report.counts.failed == 7)
            let rows = try await testbed.messageLog(delivery)
            for row in rows where row.token.hasPrefix("gone") {
                #expect(row.failureType == "Hard" && row.providerReason == "tokenDead")
            }
            let printed = receiver.messages()
            #expect(printed.count == 500 && Set(printed).count == 500)
            #expect(
                printed.allSatisfy {
                    $0.hasPrefix("sms +39061234") && $0.contains(#""_dId": "\#(delivery)""#)
                })
            // From now on, dead tokens are excluded.
            let second = try await testbed.submit(DeliveryText(apps: ["sms"]))
            #expect(try await testbed.settle(second).counts.sent == 500)
            try await testbed.stopEngine()
        }
    }
}

/// Runs `Docs/Examples/custom-receiver.py` as a process.
private final class ExampleReceiver {
    let port: Int
    let secretFile: String
    static let python = "/usr/bin/python3"
    private let output: String
    private let process = Process()

    init(in folder: String) throws {
        secretFile = "\(folder)/custom.secret"
        output = "\(folder)/receiver.out"
        for (file, text) in [(secretFile, "a secret that only the two know\n"), (output, "")] {
            try #require(
                FileManager.default.createFile(
                    atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        }
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [Repository.file("Docs/Examples/custom-receiver.py").path, "0", secretFile]
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        var port: Int?
        eventually("the receiver to listen") { [output] in
            port = (try? String(contentsOfFile: output, encoding: .utf8))?.firstMatch(of: /^(\d+)\n/)
                .flatMap { Int($0.1) }
            return port != nil
        }
        self.port = try #require(port)
    }

    func stop() {
        // The process may have inherited a signal mask that blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns one line for each message that the receiver took.
    func messages() -> [String] {
        let lines = (try? String(contentsOfFile: output, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.dropFirst().map(String.init)
    }
}
