import Foundation
import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import Testing

/// Walks the pages of an instance that has something of everything, as a person who follows each link.
@Suite struct LinkTests {
    /// An address in a page, and the method with which a browser requests it.
    private struct Target: Hashable {
        var method: ConsoleRequest.Method
        var address: String
        /// Whether a form adds its fields to the address.
        var isForm = false
    }

    /// The maximum number of pages of each route.
    private static let pagesOfRoute = 6

    @Test func `each link and each form leads to a route, and each page that is linked exists`() throws {
        let fixture = try Self.filled()
        var seen: Set<String> = ["/"]
        var waiting = ["/"]
        var visited: [String: Int] = [:]
        while let address = waiting.popLast() {
            let path = String(address.prefix { $0 != "?" })
            let route = try #require(Self.route(.get, path), "\(address)")
            guard visited[route.pattern, default: 0] < Self.pagesOfRoute else { continue }
            visited[route.pattern, default: 0] += 1
            let answer = try fixture.get(address)
            #expect([200, 303].contains(answer.status), "\(address): \(answer.status)")
            if let location = answer.value(of: "location") {
                #expect(Self.leads(Target(method: .get, address: location)), "\(address) to \(location)")
                let next = String(location.dropFirst("/console".count))
                if seen.insert(next).inserted { waiting.insert(next, at: 0) }
            }
            guard answer.value(of: "content-type")?.hasPrefix("text/html") == true else { continue }
            for target in Self.targets(in: answer.text) {
                #expect(Self.leads(target), "\(address) to \(target.method) \(target.address)")
                let next = String(target.address.dropFirst("/console".count))
                let isPage =
                    target.method == .get && !target.isForm && !next.hasPrefix("/assets/") && !next.isEmpty
                if isPage, seen.insert(next).inserted { waiting.insert(next, at: 0) }
            }
            Self.checkPlaces(in: answer.text, address)
        }
        for pattern in Self.reached { #expect(visited[pattern] != nil, "no link leads to \(pattern)") }
    }

    /// Pages that the walk must have reached.
    private static let reached = [
        "/", "/home/live", "/deliveries", "/deliveries/{id}", "/deliveries/{id}/recipients",
        "/deliveries/{id}/content", "/deliveries/{id}/recall", "/deliveries/new", "/drafts",
        "/drafts/{id}/content", "/drafts/{id}/audience", "/drafts/{id}/timing", "/drafts/{id}/proof",
        "/drafts/{id}/review", "/drafts/{id}/languages", "/templates/of/{service}/{name}", "/compare",
        "/subscribers", "/subscribers/person", "/subscribers/opt-out", "/imports", "/apps/of/{app}",
        "/apps/of/{app}/integration", "/services/of/{service}", "/alarms", "/accounts/{name}",
        "/storms/{name}/confirm", "/hosts", "/webhooks/{name}", "/store", "/jobs/{id}", "/people/{name}",
        "/tokens/{name}/revoke", "/audit", "/configuration", "/account",
    ]

    // MARK: The instance

    private static func filled() throws -> OperatorFixture {
        let fixture = try OperatorFixture()
        var status = OperatorFixture.status(state: "waiting")
        let app = try #require(try fixture.operations.store.catalogue.app(named: "shop-ios"))
        let account = try fixture.engine.account(of: app)
        (status.accounts[0].mark, status.accounts[0].name) = (account.mark.rawValue, account.name)
        // The delivery of this alarm does not exist.
        status.alarms.removeAll { $0.kind == "delivery" }
        fixture.engine.run(status)
        _ = try fixture.makeStorm(4)
        let document = """
            {"label": "Later", "service": "shop", "target": {"all": true}, "content": {"title": "Hello"},
            "schedule": {"startAt": "2026-12-24T18:00:00Z"}}
            """
        _ = try fixture.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: ""))
        _ = try fixture.operations.carryOut(
            SaveTemplate(
                name: "sale", service: "shop", document: Array(#"{"content": {"title": "Sale"}}"#.utf8),
                documentName: ""))
        _ = try fixture.operations.carryOut(
            SaveDraft(["label": .string("Draft"), "service": .string("shop")], basedOn: nil))
        try fixture.console.addPerson("oskar", .viewer)
        #expect(try fixture.post("/tokens/new", [("name", "crm"), ("scopes", "read")]).status == 200)
        let webhook = [("name", "crm"), ("url", "https://crm.example/push"), ("events", "failed")]
        #expect(try fixture.post("/webhooks/new", webhook).status == 200)
        let location = try #require(try fixture.post("/store/estimate").value(of: "location"))
        let job = try #require(location.split(separator: "/").last.flatMap { Int64($0) })
        let deadline = ContinuousClock.now + .seconds(60)
        while try fixture.operations.carryOut(ShowJob(job)).endedAt == nil {
            guard ContinuousClock.now < deadline else {
                Issue.record("job \(job) did not end")
                break
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return fixture
    }

    // MARK: Addresses

    private static func targets(in page: String) -> Set<Target> {
        var targets: Set<Target> = []
        for tag in page.matches(of: /<[a-z][^>]*>/).map({ String($0.output) }) {
            let isPost = tag.contains("method=\"post\"")
            for match in tag.matches(
                of: /(href|src|action|formaction|data-refresh|data-load|data-preview)="(\/console[^"]*)"/)
            {
                let name = match.output.1
                let posts = name == "formaction" || name == "data-preview" || name == "action" && isPost
                targets.insert(
                    Target(
                        method: posts ? .post : .get,
                        address: String(match.output.2.prefix { $0 != "#" })
                            .replacing("&amp;", with: "&"),
                        isForm: name == "action"))
            }
        }
        return targets
    }

    private static func leads(_ target: Target) -> Bool {
        guard target.address.hasPrefix("/console") else { return false }
        let path = target.address.dropFirst("/console".count).prefix { $0 != "?" }
        return path.hasPrefix("/assets/") || route(target.method, String(path)) != nil
    }

    private static func route(_ method: ConsoleRequest.Method, _ path: String) -> ConsoleRoute? {
        let segments = path.split(separator: "/")
        return Screens.routes.first { route in
            let wanted = route.pattern.split(separator: "/")
            return route.method == method && wanted.count == segments.count
                && zip(wanted, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    /// Checks the links within a page, and what labels and descriptions refer to.
    private static func checkPlaces(in page: String, _ address: String) {
        let ids = page.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count, "\(address): \(ids.sorted())")
        // A part of a page may refer to the rest of the page.
        guard page.contains("<html") else { return }
        let pattern =
            /(?:href="#|\sfor="|aria-labelledby="|popovertarget="|data-preview-target="|data-copy=")([^"]+)"/
        let references = page.matches(of: pattern)
        for reference in references.map({ String($0.output.1) }) {
            #expect(ids.contains(reference), "\(address): nothing has the id \(reference)")
        }
    }
}
