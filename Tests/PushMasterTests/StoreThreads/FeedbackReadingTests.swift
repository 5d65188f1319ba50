import Foundation
import PushMaster
import PushModel
import PushStore
import PushSystem
import PushWire
import TestSupport
import Testing

/// Writes its orders to a file and sends heartbeats. When a file `changed` exists, it runs the script of the
/// test.
@Suite struct FeedbackReadingTests {
    /// Tests the reading of a feedback service whose account ends before the reading does.
    private func program(_ then: String) -> String {
        """
        cat "$0/hello" >&3
        beat() { cat "$0/idle" >&3 && { cat <&3 >>"$0/orders" 2>/dev/null; sleep 0.05; true; }; }
        while [ ! -e "$0/changed" ] && beat; do true; done
        if mkdir "$0/first" 2>/dev/null; then
            \(then)
        fi
        while [ ! -e "$0/over" ] && beat; do true; done
        """
    }

    /// Changes the app's credential while a child reads the feedback service of the app's account. The child
    /// then continues with this script.
    private func log(of fixture: MasterFixture, child: String, until: (App, [String]) throws -> Bool) throws
        -> [String]
    {
        let app = try fixture.app(
            "one", subscribers: 3, connector: .ios, identity: "certificate:one",
            credential: OpaqueCredential(bytes: Array("one".utf8)))
        try StandInChild.write(
            [.hello(version: ChildLink.version, processID: 1)], to: "\(fixture.folder)/hello")
        let beat = Heartbeat(waiting: 0, inFlight: 0, openConnections: 1, residentKilobytes: 1)
        try StandInChild.write([.heartbeat(beat)], to: "\(fixture.folder)/idle")
        let told = [RetiredToken(token: MasterFixture.token(2), since: Clocks.wall())]
        try StandInChild.write(
            [.feedback(account: 1, told), .feedbackEnded(account: 1, failure: nil)],
            to: "\(fixture.folder)/feedback")
        var writer = ByteWriter()
        LinkOrder.pollFeedback(account: 1).encode(into: &writer)
        let (poll, orders) = (Data(writer.bytes), URL(filePath: "\(fixture.folder)/orders"))
        return try StandInChild.serve(fixture, program: program(child)) { log in
            eventually("the child is requested to read") {
                (try? Data(contentsOf: orders))?.range(of: poll) != nil
            }
            _ = try fixture.store.catalogueWriter(key: fixture.key).updateApp(
                app.id, to: app.settings, credential: OpaqueCredential(bytes: Array("another".utf8)))
            eventually("the app continues elsewhere") {
                log().contains { $0.contains("app \(app.settings.name) was changed") }
            }
            try Data().write(to: URL(filePath: "\(fixture.folder)/changed"))
            try eventually("the reading is over") { try until(app, log()) }
        }
    }

    @Test func `feedback from a service counts even if its account has been replaced meanwhile`() throws {
        try MasterFixture.with { fixture in
            let log = try log(of: fixture, child: #"cat "$0/feedback" >&3"#) { app, _ in
                try fixture.store.quarantine.counts(of: app.id)[app.id]?.disabled == 1
            }
            #expect(
                log.contains { $0.contains("the feedback service of") && $0.hasSuffix("was read completely") }
            )
            let app = try #require(try fixture.store.catalogue.apps().first)
            #expect(try fixture.store.catalogue.lastFeedbackPoll(of: app.id) != nil)
        }
    }

    @Test func `a reading whose child died is not repeated for an account that has been replaced`() throws {
        try MasterFixture.with { fixture in
            _ = try log(of: fixture, child: "kill -9 $$") { _, log in
                log.contains { $0.contains("completely: its child ended, and the account was replaced;") }
            }
        }
    }
}
