import Foundation
import Testing

/// Tests the output of `sizing` and the input that it refuses.
@Suite struct SizingCommandTests {
    @Test func `the command prints the documentation's example`() async throws {
        let page = try String(
            contentsOf: PushMTATests.repository.appending(path: "Docs/Operate/Scaling.md"), encoding: .utf8)
        let command = "pushmta sizing --rate 40000 --rtt 80 --cores 2"
        let blocks = page.components(separatedBy: "```text\n$ \(command)\n").dropFirst()
        let example = try #require(blocks.first?.components(separatedBy: "```").first)
        let words = command.split(separator: " ").dropFirst().map(String.init)
        #expect(try await Workspace().succeed(words).output == example)
    }

    @Test func `without a file, sizing uses the defaults and creates no instance`() async throws {
        let workspace = try Workspace(configuration: nil)
        let arguments = ["sizing", "--rate", "20000", "--rtt", "60", "--platform", "android", "--json"]
        // No configuration file is named.
        let run = try await workspace.start(arguments, environment: ["PUSHMTA_CONFIG="]).finished()
        #expect(run.status == 0, "\(run.errors)")
        let view = try #require(try run.json() as? [String: Any])
        #expect(view["perSecond"] as? Int == 20_000 && view["isEnough"] as? Bool == false)
        #expect((view["limit"] as? [String: Any])?["factor"] as? String == "provider")
        #expect((view["changes"] as? [[String: Any]])?.isEmpty == false)
        #expect(!workspace.exists("var"))
    }

    @Test(arguments: [
        ("--rate 0 --rtt 1", 2, "must be a number from 1 to 10000000"),
        ("--rate=-5 --rtt 1", 2, "must be a number from 1 to 10000000"),
        ("--rate 99999999 --rtt 1", 2, "must be a number from 1 to 10000000"),
        ("--rate x --rtt 1", 2, "The value 'x' is invalid for '--rate"),
        ("--rate 1e3 --rtt 1", 2, "The value '1e3' is invalid for '--rate"),
        ("--rate 5 --rtt 0", 2, "must be a number from 1 to 3600000"),
        ("--rate 5", 2, "Missing expected argument '--rtt"),
        ("--rate 5 --rtt 5 --cores 0", 2, "must be a number from 1 to 4096"),
        ("--rate 5 --rtt 5 --streams 0", 2, "must be a number from 1 to 1000000"),
        ("--rate 5 --rtt 5 --platform windows", 2, "The value 'windows' is invalid for '--platform"),
        ("--rate 5 --rtt 30000", 3, "longer than the time for which the engine waits for an answer, 30 s"),
        ("--rate 10000000 --rtt 29999", 3, "which no settings of one host allow"),
        ("--rate 5 --rtt 5 --config none.xml", 1, "the file does not exist"),
    ])
    func `invalid input is refused`(options: String, status: Int32, said: String) async throws {
        let words = ["sizing"] + options.split(separator: " ").map(String.init)
        let run = try await Workspace().run(words)
        #expect(run.status == status && run.output.isEmpty)
        #expect(run.errors.contains(said), "\(run.errors)")
    }
}
