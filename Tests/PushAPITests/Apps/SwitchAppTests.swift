import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import TestRequests
import Testing

/// Tests that an app's new connection is tested before the app is switched to it, and the way back.
struct SwitchAppTests {
    private static func toAPNs() throws -> ConnectionFields {
        ConnectionFields(connector: "iosHTTP2", bundleId: "com.example.neotrips", credential: try .key())
    }

    /// Returns the request as a service receives it from a command.
    private static func sent<Use: UseCase>(_ use: Use) throws -> Use {
        try JSONDecoder().decode(Use.self, from: Data(try JSONValue(encoding: use).text.utf8))
    }

    private let instance: TestInstance
    private var operations: Operations { instance.operations }
    private var app: AppDetails { get throws { try operations.carryOut(ShowApp(name: "ios")) } }

    init() throws {
        instance = try TestInstance.withApp()
        instance.engine.makeGatewayUnreachable()
    }

    @Test func `a switch is refused if the gateway cannot be reached, unless the test is skipped`() throws {
        let before = try app
        var request = try Self.sent(SwitchApp(name: "ios", connection: try Self.toAPNs()))
        let error = failure { () throws(OperationError) in _ = try request.carryOut(by: operations) }
        #expect(error?.kind == .refused)
        #expect(error?.lines.first?.contains("nothing was changed") == true)
        #expect(error?.lines.first?.contains("--skip-test") == true)
        #expect(error?.apiLines.first?.contains("skipsTest") == true)
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(try app == before)
        request.skipsTest = true
        let change = try request.carryOut(by: operations)
        #expect(change.app.connector == .iosHTTP2 && change.test == nil)
        #expect(try app.app == change.app)
        let lines = try instance.store.audit.page().filter { $0.action.hasPrefix("app.switch") }
        #expect(lines.map(\.action) == ["app.switch"] && lines.map(\.what) == ["ios"])
    }

    @Test func `a switch whose test succeeds has the lines of the test in its answer`() throws {
        _ = try operations.carryOut(SwitchApp(name: "ios", connection: try Self.toAPNs(), skipsTest: true))
        let change = try SwitchApp(name: "ios", connection: ConnectionFields(connector: "stub"))
            .carryOut(by: operations)
        #expect(change.app.connector == .stub && change.test?.count == 1)
        #expect(change.app.credential == "token:DEF1234567:ABC1234567")
    }

    @Test func `a command makes the test itself and sends the service only the change`() throws {
        let service = RequestAnswers(operations: operations.with(engine: StandInEngine()))
        let requests = Requests()
        instance.engine.carryOut { request, caller in
            requests.add(request)
            return .answer(service.reply(to: request, for: caller))
        }
        _ = try SwitchApp(name: "ios", connection: ConnectionFields(bundleId: "b"))
            .carryOut(by: operations)
        let bodies = requests.all.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(requests.all.map(\.target) == ["/apps/ios/switch"], "\(requests.all)")
        #expect(bodies.first?.contains(#""skipsTest":true"#) == true, "\(bodies)")
    }

    @Test func `one request switches an app back, and a further one switches it forth again`() throws {
        let none = failure { () throws(OperationError) in
            _ = try SwitchAppBack(name: "ios").carryOut(by: operations)
        }
        #expect(none?.kind == .absent && none?.description.contains("no former connection") == true)
        _ = try operations.carryOut(SwitchApp(name: "ios", connection: try Self.toAPNs(), skipsTest: true))
        let key = try app
        #expect(key.formerConnection?.connector == .stub && key.formerConnection?.credential == nil)
        let certificate = ConnectionFields(connector: "ios", credential: try .certificate())
        _ = try operations.carryOut(SwitchApp(name: "ios", connection: certificate, skipsTest: true))
        let binary = try app
        #expect(binary.formerConnection?.credential == key.app.credential)
        #expect(binary.app.credential?.hasPrefix("certificate:") == true)
        let tested = failure { () throws(OperationError) in
            _ = try SwitchAppBack(name: "ios").carryOut(by: operations)
        }
        #expect(tested?.kind == .refused && tested?.description.contains("127.0.0.1") == true)
        #expect(try app == binary)
        for expected in [key, binary, key] {
            let back = try Self.sent(SwitchAppBack(name: "ios", skipsTest: true)).carryOut(by: operations)
            #expect(back.app == expected.app && back.test == nil)
            let stored = try #require(try instance.store.catalogue.app(named: "ios"))
            let credential = try instance.store.credentials(key: try instance.store.instanceKey())
                .credential(of: stored.id)
            #expect(credential != nil)
        }
    }

    @Test func `an app that is switched back to the stub keeps its credential`() throws {
        _ = try operations.carryOut(SwitchApp(name: "ios", connection: try Self.toAPNs(), skipsTest: true))
        let back = try SwitchAppBack(name: "ios").carryOut(by: operations)
        #expect(back.app.connector == .stub && back.test?.count == 1)
        #expect(back.app.credential == "token:DEF1234567:ABC1234567")
        #expect(back.app.bundleId == "com.example.neotrips")
        let forth = try SwitchAppBack(name: "ios", skipsTest: true).carryOut(by: operations)
        #expect(forth.app.connector == .iosHTTP2)
    }

    @Test func `other settings are tested without a change, and settings that cannot work are refused`()
        throws
    {
        let before = try app
        let tested = try operations.carryOut(
            try Self.sent(TestApp(name: "ios", connection: try Self.toAPNs())))
        #expect(!tested.succeeded && tested.lines.contains { $0.contains("127.0.0.1") })
        #expect(try app == before)
        let lacking = ConnectionFields(connector: "iosHTTP2", bundleId: "b")
        let error = failure { () throws(OperationError) in
            _ = try operations.carryOut(TestApp(name: "ios", connection: lacking))
        }
        #expect(error?.description.contains("needs a credential") == true)
        let empty = failure { () throws(OperationError) in
            _ = try SwitchApp(name: "ios", connection: ConnectionFields()).carryOut(by: operations)
        }
        #expect(empty?.kind == .refused && empty?.description.contains("nothing to switch to") == true)
    }
}

/// The requests that a test's service received.
private final class Requests: Sendable {
    private let requests = Mutex<[ServiceRequest]>([])
    func add(_ request: ServiceRequest) { requests.withLock { $0.append(request) } }
    var all: [ServiceRequest] { requests.withLock { $0 } }
}
