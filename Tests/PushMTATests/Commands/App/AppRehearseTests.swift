import Foundation
import Glibc
import Testing

struct AppRehearseTests {
    @Test func `a rehearsal needs a running service and valid limits`() async throws {
        let workspace = try await Workspace.withApp()
        let none = try await workspace.run("app", "rehearse", "ios")
        #expect(none.status == 1 && none.errors.contains("no master runs"))
        let long = try await workspace.run("app", "rehearse", "ios", "--registration-seconds", "0")
        #expect(long.status == 2 && long.errors.contains("from 1 to 3600"), "\(long.errors)")
        #expect(try await workspace.run("app", "rehearse", "none").status == 3)
    }

    @Test(.eachEngine) func `a registration that never arrives is the missing link`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let rehearsal = try await workspace.run("app", "rehearse", "ios", "--registration-seconds", "1")
            #expect(rehearsal.status == 1)
            #expect(rehearsal.errors.contains("integration key key of ios"))
            #expect(
                rehearsal.outputLines.first
                    == "registration: no device registered with app ios within 1 second")
            #expect(rehearsal.outputLines.dropFirst().first?.hasPrefix("  to do: ") == true)
            #expect(rehearsal.outputLines.last == "the chain is incomplete")
            let json = try await workspace.run(
                "app", "rehearse", "ios", "--registration-seconds", "1", "--json")
            let view = try #require(try json.json() as? [String: Any])
            #expect(json.status == 1 && view["complete"] as? Bool == false)
            let links = try #require(view["links"] as? [[String: Any]])
            let states = links.compactMap { $0["state"] as? String }
            #expect(states == ["missing", "notReached", "notReached", "notReached"])
        }
    }

    @Test func `an interrupted rehearsal ends at once and leaves no message behind`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let rehearsal = try workspace.start(["app", "rehearse", "ios"])
            try await rehearsal.waitForOutput("registration: start the app")
            rehearsal.signal(SIGINT)
            let finished = try await rehearsal.finished()
            #expect(finished.status == -SIGINT && finished.errors.contains("interrupted"))
            #expect(try await workspace.succeed("message", "list").outputLines.count <= 1)
        }
    }
}
