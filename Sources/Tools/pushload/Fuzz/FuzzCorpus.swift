/// The correct requests from which mutated requests are created, and the requests that are sent unchanged.
///
/// Mutated requests use apps and messages of their own, so that a mutation cannot become a correct request
/// for another app. The apps that are compared at the end receive only unchanged requests.
struct FuzzCorpus: Sendable {
    /// A notification that was sent.
    struct Message: Sendable {
        var id: String
        var delivery: Int
        var isAndroid: Bool

        func query(tag: Int) -> String {
            "id=h\(DeviceForm.reported(id, isAndroid: isAndroid)),\(delivery),\(tag)"
        }
    }

    let host: String
    let seed: UInt64
    /// The API token, with all scopes.
    let token: String
    /// Messages of the apps to which mutated requests are sent.
    let fuzzed: [Message]
    /// Messages of the apps to which only correct requests are sent.
    let honest: [Message]

    static let honestApps = ["honest-ios", "honest-android"]
    static let fuzzedApps = ["fuzzed-ios", "fuzzed-android"]
    /// The apps for requests that are malformed as HTTP. It is unknown how much of such a request the server
    /// understands.
    static let tornApps = ["torn-ios", "torn-android"]
    static let changedApp = "changed-ios"
    static let tokens = 5_000

    // MARK: Registrations

    static func token(_ index: Int, seed: UInt64, isAndroid: Bool) -> String {
        SyntheticSubscribers(index + 1, seed: seed, isAndroid: isAndroid).token(index)
    }

    private static func form(_ index: Int, seed: UInt64, isAndroid: Bool, of apps: [String]) -> DeviceForm {
        let token = token(index, seed: seed, isAndroid: isAndroid)
        return DeviceForm(isAndroid: isAndroid, token: token, integrationKey: apps[isAndroid ? 1 : 0])
    }

    /// Returns the registration form of the device with this index. Each index belongs to a different device.
    /// At the end, the store must contain the data that the form contains.
    func honestForm(_ index: Int) -> DeviceForm {
        var form = Self.form(index, seed: seed, isAndroid: index % 2 == 1, of: Self.honestApps)
        form.userKey = "honest-\(index)@example.com"
        form.osVersion = "17"
        form.parameters = [("city", "Paris"), ("points", "\(index % 1_000)")]
        return form
    }

    func form(of apps: [String], _ chance: inout SplitMix64) -> DeviceForm {
        let isAndroid = chance.below(2) == 1
        var form = Self.form(chance.below(Self.tokens), seed: seed &+ 1, isAndroid: isAndroid, of: apps)
        form.userKey = chance.one(of: ["", "user@example.com", "Žofie + Søn & \"Co\"", "日本"])
        if isAndroid { form.imei = String(chance.next() % 10_000 | 1 << 63, radix: 16) }
        (form.name, form.model, form.brand) = ("panther", "Pixel 7", "google")
        (form.manufacturer, form.osName, form.osVersion) = ("Google", isAndroid ? "android" : "iOS", "15")
        form.language = chance.one(of: ["en-US", "", "fr"])
        for parameter in [
            ("city", "L'Haÿ-les-Roses <A> & \"B\""), ("points", "-12.5"), ("born", "2001-02-29"),
            ("vip", "true"),
        ] where chance.below(2) == 0 { form.parameters.append(parameter) }
        return form
    }

    // MARK: Calls

    func call(_ method: String, _ path: String, query: String? = nil, body: String? = nil) -> LoadRequest {
        .call(method, path, query: query, token: token, body: body)
    }

    /// Returns a request to the API or to another path of the web module. A call that would create something
    /// names an app or a service that does not exist, so that the server reads the whole document but does
    /// not change the store.
    func call(_ chance: inout SplitMix64) -> LoadRequest {
        let message = chance.one(of: fuzzed)
        let device = Self.token(chance.below(Self.tokens), seed: seed &+ 1, isAndroid: false)
        switch chance.below(100) {
        case ..<12: return call("GET", "/deliveries/\(message.delivery)", query: "duplicates=true")
        case ..<20:
            return call("GET", "/deliveries", query: "limit=10&cursor=delivery.list.\(message.delivery)")
        case ..<26: return call("GET", "/subscribers", query: "app=\(Self.fuzzedApps[0])&token=\(device)")
        case ..<30: return call("GET", "/subscribers", query: "userKey=user%40example.com")
        case ..<34:
            return call("GET", "/quarantine", query: "app=\(Self.fuzzedApps[0])&state=quarantined&cursor=1")
        case ..<38: return call("GET", "/apps", query: "service=\(Testbed.service)")
        case ..<42: return call("GET", "/apps/\(Self.fuzzedApps[1])/explanation")
        case ..<44:
            return call(
                "GET", chance.one(of: ["/status", "/services", "/storms", "/openapi.json", "/tokens"]))
        case ..<48: return call("DELETE", "/subscribers", query: "app=\(Self.fuzzedApps[0])&token=\(device)")
        case ..<54: return call("POST", "/deliveries", body: Self.delivery)
        case ..<70: return send(device, "batch \(chance.below(500))")
        case ..<74: return call("GET", "/messages/\(message.id)")
        case ..<78: return call("POST", "/apps", body: Self.app)
        case ..<82:
            return call(
                "PATCH", "/apps/\(Self.changedApp)", body: #"{"variables": ["a", "b"], "liveDeliveries": 1}"#)
        case ..<84: return call("POST", "/services", body: #"{"name": "no name", "label": "A label"}"#)
        case ..<86: return call("PATCH", "/services/none", body: #"{"label": "Ein Schild"}"#)
        case ..<88: return call("DELETE", chance.one(of: ["/services/none", "/apps/none", "/tokens/none"]))
        case ..<90: return call("POST", "/tokens", body: #"{"name": "a", "scopes": ["read", "nothing"]}"#)
        case ..<92: return call("POST", "/storms/\(Self.changedApp)/confirm")
        case ..<96:
            return call("POST", "/deliveries/\(message.delivery)/retry-failed", body: #"{"reason": "no"}"#)
        case ..<98: return call("POST", "/deliveries/\(message.delivery)/recount")
        default:
            return LoadRequest(
                "GET", chance.one(of: ["/metrics", "/healthz", "/readyz", "/r/test", "/", "/console"]))
        }
    }

    private func send(_ device: String, _ key: String) -> LoadRequest {
        let content =
            #"{"title": "Code ✈", "body": "\#(key)", "variables": {"mediaUrl": "https://example.org"}}"#
        var message = call(
            "POST", "/messages",
            body:
                #"""
                [{"app": "\#(Self.fuzzedApps[0])", "token": "\#(device)", "content": \#(content), \#
                "validity": "1h"}]
                """#
        )
        message.headers.append(("Idempotency-Key", key))
        return message
    }

    private static let delivery = #"""
        {"label": "Spring", "service": "\#(Testbed.service)", "apps": ["none"],
         "target": {"where": {"or": [{"a": {">=": 1, "in": ["b", 2.5]}}, {"not": {"c": true}}], "d": "e"},
         "exclude": {"userKeys": ["a", "b"], "tokens": ["ab"]}, "sample": {"share": 0.5, "seed": 7}},
         "content": {"title": "Paris ✈ from \"99\" EUR", "body": "Book", "variables": {"a": "1"},
         "ios": {"type": "alert", "badge": 3, "sound": "default"}, "android": {"ttl": "1h"}},
         "schedule": {"start": "2036-11-21T10:00:00Z",
         "validity": "5d", "priority": "high"}}
        """#

    private static let app = #"""
        {"name": "new", "service": "none", "platform": "ios", "integrationKey": "new",
         "connector": "iosHTTP2",
         "environment": "production", "bundleId": "com.example.new", "variables": ["a"],
         "parameters": [{"name": "city", "kind": "text"}],
         "credential": {"type": "p8", "keyId": "ABCDEFGHIJ", "key": "-----BEGIN PRIVATE KEY-----\nMIGT"}}
        """#
}
