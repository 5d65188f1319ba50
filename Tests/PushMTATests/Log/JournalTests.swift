import Foundation
import Glibc
import TestSupport
import Testing

/// Tests a service's log when systemd's journal receives it.
struct JournalTests {
    @Test func `journal lines have a priority and no time, and lines for a file have a time`() async throws {
        let workspace = try Workspace()
        try workspace.write("", to: "journal")
        let facts = try FileManager.default.attributesOfItem(atPath: workspace.path("journal"))
        let device = try #require(facts[.systemNumber] as? Int)
        let file = try #require(facts[.systemFileNumber] as? Int)
        for (inode, isJournal) in [(file, true), (file + 1, false)] {
            try workspace.write("", to: "journal")
            try #require(unsafe truncate(workspace.path("journal"), 0) == 0)
            let service = try workspace.start(
                ["run"], errors: workspace.path("journal"),
                environment: ["JOURNAL_STREAM=\(device):\(inode)"])
            try await eventually("it serves") { try workspace.text(of: "journal").contains("serving") }
            service.signal(SIGTERM)
            #expect(try await service.finished().status == 0)
            let lines = try workspace.text(of: "journal").split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("<5>level=notice message=") } == isJournal, "\(lines)")
            #expect(lines.allSatisfy { $0.hasPrefix("time=") } == !isJournal, "\(lines)")
        }
    }
}
