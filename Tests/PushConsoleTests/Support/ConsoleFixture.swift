import Foundation
import PushAPI
import PushConfig
import PushConnectors
import PushConsole
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// A console on an instance with its own store in a temporary folder, which is deleted with it.
final class ConsoleFixture: Sendable {
    static let password = "correct horse battery staple"
    static let start = WallMoment(WallTime(secondsSince1970: 1_795_262_400))

    let folder: URL
    let operations: Operations
    let console: Console
    private let clock: TestClock

    /// - Parameters:
    ///   - groups: Screens in addition to those of the product.
    ///   - settings: XML elements in addition to the store's.
    ///   - files: Files in the folder of the instance, by name.
    init(
        _ groups: [any ScreenGroup.Type] = [], settings: String = "", files: [String: String] = [:],
        clock: TestClock = TestClock()
    ) throws {
        self.clock = clock
        folder = try TemporaryFolder.make()
        let file = folder.appending(path: "serverConf.xml").path(percentEncoded: false)
        let text = """
            <serverConf><shared><dataStore><dataSource name="default">
              <dbcnx provider="SQLite" server="var/pushmta.db"/>
            </dataSource></dataStore></shared>\(settings)</serverConf>
            """
        for (name, content) in files {
            let path = folder.appending(path: name).path(percentEncoded: false)
            let isMade = FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
            #expect(isMade)
        }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let configuration = try ConfigurationFile.load(path: file, schema: ConnectorCatalogue.settings)
        operations = Operations(
            configuration: configuration, store: try Store.open(configuration.settings.store.place),
            engine: IdleEngine(),
            clock: OperationsClock(
                moment: { clock.moment }, monotonic: { MonotonicTime(nanoseconds: clock.nanoseconds) }),
            caller: "a test")
        console = Console(Screens.all + groups, zoneName: "UTC")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// From now on, a second passes from one reading of the monotonic clock to the next.
    func slowDown() { clock.slowDown() }

    func advance(minutes: Int64) { clock.advance(seconds: minutes * 60) }

    /// Creates a person with ``password``.
    func addPerson(_ name: String, _ role: Role) throws {
        var create = CreatePerson()
        (create.name, create.fields) = (name, RoleFields(role: role))
        let link = try operations.carryOut(create)
        let key = try #require(link.link.split(separator: "=").last).description
        _ = try operations.carryOut(SetPassword(linkKey: key, password: Self.password))
    }

    /// Creates a person without a password.
    func addPersonWithoutPassword(_ name: String, _ role: Role) throws {
        var create = CreatePerson()
        (create.name, create.fields) = (name, RoleFields(role: role))
        _ = try operations.carryOut(create)
    }

    /// The lines of the audit trail.
    var audit: [String] {
        get throws {
            try operations.carryOut(ReadAudit()).items.map {
                "\($0.values.who) \($0.values.action) \($0.values.what)"
            }
        }
    }

    /// Creates a person and signs the person in.
    func browser(of name: String, _ role: Role) throws -> Browser {
        try addPerson(name, role)
        let browser = Browser(self)
        let answer = try browser.signIn(name)
        #expect(answer.status == 303)
        return browser
    }
}

final class TestClock: Sendable {
    private let seconds = Mutex<Int64>(0)
    /// The seconds of the monotonic clock that have passed while it was read; `nil` if reading takes no time.
    private let read = Mutex<Int64?>(nil)
    func slowDown() { read.withLock { $0 = 0 } }
    func advance(seconds more: Int64) { seconds.withLock { $0 += more } }
    var moment: WallMoment {
        WallMoment(
            millisecondsSince1970: ConsoleFixture.start.millisecondsSince1970 + seconds.withLock { $0 }
                * 1_000)
    }
    var nanoseconds: Int64 {
        let passed = read.withLock { read in
            read = read.map { $0 + 1 }
            return read ?? 0
        }
        return (seconds.withLock { $0 } + passed) * 1_000_000_000
    }
}

/// An engine without a master.
struct IdleEngine: SendingEngine {
    var isRunning: Bool { false }
    var secondsSinceTurn: Double? { nil }
    func status() throws -> MasterStatus? { nil }
    func wakeUp() {}
    func withdraw(_ delivery: DeliveryID) throws -> Int? { nil }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { GatewayOrder() }
    func account(of app: App) throws -> SendingAccount { throw OperationError.failed("nobody") }
}

/// A browser: it keeps cookies, and submits forms from pages of the console.
final class Browser {
    let fixture: ConsoleFixture
    var cookies: [String: String] = [:]
    var isSecure = true
    var isLocal = false
    var language = "en"
    /// The people whom a trusted proxy states.
    var statedPeople: [String] = []
    /// The token of the last page's forms.
    var csrf = ""

    init(_ fixture: ConsoleFixture) { self.fixture = fixture }

    func request(_ method: ConsoleRequest.Method, _ address: String) throws -> ConsoleRequest {
        let halves = address.split(separator: "?", maxSplits: 1).map(String.init)
        let cookies = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        var request = try #require(
            ConsoleRequest(
                method, path: "/console\(halves[0])".utf8, query: (halves.count > 1 ? halves[1] : "").utf8
            ) { name in
                switch name {
                case "cookie": cookies.isEmpty ? [] : [cookies]
                case "host": ["push.example"]
                case "accept-language": [self.language]
                default: []
                }
            })
        request.client = IPAddress("192.0.2.7")
        (request.isSecure, request.isLocal) = (isSecure, isLocal)
        request.statedPeople = statedPeople
        return request
    }

    func send(_ request: ConsoleRequest) -> ConsoleAnswer {
        let answer = fixture.console.answer(request, operations: fixture.operations)
        for text in answer.values(of: "set-cookie") {
            let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let isGone = text.contains("Max-Age=0")
            cookies[String(pair[0])] = isGone || pair.count < 2 ? nil : String(pair[1])
        }
        if let found = answer.text.firstMatch(of: /name="_csrf" value="([^"]+)"/) {
            csrf = String(found.output.1)
        }
        return answer
    }

    func get(_ address: String) throws -> ConsoleAnswer { send(try request(.get, address)) }

    /// Submits a form from a page of the console.
    func post(
        _ address: String, _ fields: [String: String] = [:], csrf: String? = nil,
        _ change: (inout ConsoleRequest) -> Void = { _ in }
    ) throws -> ConsoleAnswer {
        var request = try request(.post, address)
        request.fetchSite = "same-origin"
        // Browsers send the fields in the same order each time.
        var all = fields.sorted { $0.key < $1.key }.map { FormFields.Field(name: $0.key, value: $0.value) }
        all.append(FormFields.Field(name: "_csrf", value: csrf ?? self.csrf))
        request.form = FormFields(all)
        change(&request)
        return send(request)
    }

    func signIn(_ name: String, _ password: String = ConsoleFixture.password) throws -> ConsoleAnswer {
        let answer = try post("/sign-in", ["name": name, "password": password])
        if answer.status == 303 { _ = try get("/") }
        return answer
    }
}

extension ConsoleAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
