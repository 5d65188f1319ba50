import Foundation
import PushAPI
import Testing
import pushmta

/// Tests that clients of the API can do everything that commands can do, and vice versa.
struct ParityTests {
    private static func names(_ types: [any UseCase.Type]) -> Set<String> { Set(types.map { "\($0)" }) }

    private static func page() throws -> String {
        try String(
            contentsOf: PushMTATests.repository.appending(path: "Docs/Operate/CommandLine.md"),
            encoding: .utf8)
    }

    @Test func `every use case of the API has a command`() {
        let performed = Self.names(LeafCommand.all.flatMap { $0.useCases ?? [] })
        let offered = Self.names(UseCases.all.filter { use in use.operations.contains { !$0.isLocal } })
        #expect(offered.subtracting(performed).sorted() == [])
    }

    @Test func `every command executes use cases of the API, or states why it is local`() throws {
        let known = Self.names(UseCases.all)
        let page = try Self.page()
        var undeclared: [String] = []
        for command in LeafCommand.all {
            if let useCases = command.useCases {
                let unknown = Self.names(useCases).subtracting(known)
                #expect(!useCases.isEmpty && unknown.isEmpty, "\(command.name): \(unknown.sorted())")
            } else if let reason = command.localReason {
                #expect(page.contains("| `\(command.name)` | \(reason) |"), "\(command.name)")
            } else {
                undeclared.append(command.name)
            }
        }
        #expect(undeclared == [])
        // The commands that the help lists, and the single command that it does not list.
        #expect(
            Set(LeafCommand.all.map(\.name))
                == Set(PushMTATests.commands.map { $0.joined(separator: " ") } + ["mtachild"]))
    }

    @Test func `the page lists the commands that the running master carries out`() throws {
        let carriedOut = LeafCommand.all.filter { command in
            command.useCases?.contains { $0 is any ChangingOperation.Type } == true
        }
        let lines = try Self.page().split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasSuffix("the master carries out") }
            .drop { !$0.hasPrefix("- ") }
            .prefix { $0.hasPrefix("- ") }
        // `app create|update` stands for two commands.
        let listed = lines.flatMap { $0.matches(of: /`([^`]+)`/) }.flatMap { match in
            let words = match.1.split(separator: " ")
            return (words.last ?? "").split(separator: "|").map { last in
                (words.dropLast() + [last]).joined(separator: " ")
            }
        }
        #expect(listed.sorted() == carriedOut.map(\.name).sorted())
    }
}
