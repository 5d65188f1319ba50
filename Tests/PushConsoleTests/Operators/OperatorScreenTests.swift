import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import Testing

@Suite struct OperatorScreenTests {
    private static let places = [
        "/alarms", "/alarms/live", "/apps/unknown-keys", "/accounts", "/accounts/live", "/quarantine",
        "/quarantine/add", "/quarantine/release", "/hosts", "/hosts/live", "/store", "/store/purge",
        "/webhooks", "/webhooks/new", "/tokens", "/tokens/new", "/people", "/people/new", "/account",
        "/audit",
        "/configuration",
    ]

    @Test(arguments: places)
    func `each page answers without data, without a master, and in German`(path: String) throws {
        let fixture = try OperatorFixture(withApp: false)
        #expect(try fixture.get(path).status == 200)
        fixture.browser.language = "de"
        #expect(try fixture.get(path).status == 200)
    }

    /// The places that show the names of accounts.
    private static let namesAccounts = ["/alarms", "/alarms/live", "/accounts", "/accounts/live"]

    @Test(arguments: places)
    func `names and causes never become markup`(path: String) throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(OperatorFixture.status(named: OperatorFixture.hostile, state: "stalled"))
        let answer = try fixture.get(path)
        #expect(answer.status == 200)
        #expect(!answer.text.contains("<script>alert(1)"))
        if Self.namesAccounts.contains(path) { #expect(answer.text.contains("&lt;script&gt;alert(1)")) }
        #expect(answer.text.firstMatch(of: /<[^>]* style=/) == nil)
    }

    @Test(arguments: [Role.viewer, .marketer])
    func `pages for operators are refused to others and are not in their navigation`(role: Role) throws {
        let fixture = try OperatorFixture(role)
        // Everyone sees the own account, and which keys of apps are wrong.
        for path in Self.places where !["/account", "/apps/unknown-keys"].contains(path) {
            #expect(try fixture.get(path).status == 403, "\(path)")
        }
        let home = try fixture.get("/").text
        #expect(!home.contains("href=\"/console/alarms\""))
        #expect(home.contains("href=\"/console/account\""))
    }

    // MARK: Alarms and accounts

    @Test func `without a master the alarms say so and what to do`() throws {
        let text = try OperatorFixture().get("/alarms").text
        #expect(text.contains("No master runs") && text.contains("pushmta start"))
    }

    @Test func `a calm instance has no alarm`() throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(
            MasterStatus(pid: 1, uptimeSeconds: 1, state: "running", unrecorded: 0, waitingRanges: 0))
        #expect(try fixture.get("/alarms").text.contains("Nothing is wrong"))
    }

    @Test func `each kind of alarm states its cause and a next step`() throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(OperatorFixture.status())
        let text = try fixture.get("/alarms").text
        let kinds = MasterStatus.Alarm.kinds.count + 1
        #expect(text.matches(of: /class="alarm"/).count == kinds)
        #expect(text.matches(of: /What to do/).count == kinds)
        #expect(text.contains("for 1 min 30 s") && text.contains("Account ⁨shop account⁩ makes no progress"))
    }

    @Test func `the accounts show rate, window and what limits them, and can be searched`() throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(OperatorFixture.status())
        let text = try fixture.get("/accounts").text
        #expect(text.contains("shop account") && text.contains("411") && text.contains("of 1,000"))
        #expect(text.contains("The window") && text.contains("1,000 requests at a time"))
        #expect(text.contains("data-refresh=\"/console/accounts/live\""))
        #expect(try fixture.get("/accounts?q=shop-ios").text.contains("shop account"))
        #expect(try fixture.get("/accounts?q=other").text.contains("No account matches"))
    }

    @Test func `a page of accounts has at most fifty rows`() throws {
        let fixture = try OperatorFixture()
        var status = OperatorFixture.status()
        let account = status.accounts[0]
        status.accounts = (100..<220).map { number in
            var other = account
            (other.name, other.mark) = ("account \(number)", "mark#\(number)")
            return other
        }
        fixture.engine.run(status)
        let first = try fixture.get("/accounts").text
        #expect(first.matches(of: /<th scope="row">/).count == 50)
        #expect(first.contains("cursor=50"))
        let last = try fixture.get("/accounts?cursor=100").text
        #expect(last.matches(of: /<th scope="row">/).count == 20 && !last.contains("rel=\"next\""))
        for cursor in ["-1", "x", "99999999999999999999", "9223372036854775807"] {
            #expect(try fixture.get("/accounts?cursor=\(cursor)").status == 200)
        }
    }

    @Test func `an account is explained, and tries again at once`() throws {
        let fixture = try OperatorFixture()
        var status = OperatorFixture.status(state: "waiting")
        let app = try #require(try fixture.operations.store.catalogue.app(named: "shop-ios"))
        let account = try fixture.engine.account(of: app)
        (status.accounts[0].mark, status.accounts[0].name) = (account.mark.rawValue, account.name)
        fixture.engine.run(status)
        let text = try fixture.get("/accounts/shop-ios").text
        #expect(text.contains("Settings in effect") && text.contains("Try now"))
        let path = "/accounts/\(account.mark.rawValue.replacing("#", with: "%23"))/resume"
            .replacing(" ", with: "%20")
        #expect(try fixture.post(path).status == 303)
        #expect(fixture.engine.resumed == [account.mark.rawValue])
        #expect(try fixture.get("/accounts/nobody").status == 404)
    }

    // MARK: Quarantine and storms

    @Test func `a storm is shown with its decision, and discarding it affects no token`() throws {
        let fixture = try OperatorFixture()
        let account = try fixture.makeStorm(4)
        for path in ["/alarms", "/quarantine"] {
            let text = try fixture.get(path).text
            #expect(text.contains("Stopped: storm") && text.contains("Discard 4 verdicts"), "\(path)")
            #expect(text.contains("shop-ios"))
        }
        let path = Self.encoded(account)
        let question = try fixture.get("/storms/\(path)/discard").text
        #expect(question.contains("no token is changed"))
        #expect(try fixture.get("/storms/\(path)/confirm").text.contains("go into quarantine"))
        #expect(try fixture.post("/storms/\(path)/discard").status == 303)
        #expect(try fixture.operations.carryOut(ShowStorms()).isEmpty)
        #expect(try fixture.get("/quarantine").text.contains("The verdicts were discarded"))
        #expect(try fixture.operations.carryOut(ListQuarantine()).items.isEmpty)
        #expect(try fixture.get("/storms/\(path)/discard").status == 404)
    }

    @Test func `a confirmed storm fills the quarantine, from which a person is released`() throws {
        let fixture = try OperatorFixture()
        let account = try fixture.makeStorm(60)
        #expect(try fixture.post("/storms/\(Self.encoded(account))/confirm").status == 303)
        let text = try fixture.get("/quarantine").text
        #expect(text.matches(of: /<th scope="row">/).count == 50 && text.contains("rel=\"next\""))
        #expect(text.contains("user1") && !text.contains(OperatorFixture.token(1)))
        #expect(try fixture.get("/quarantine?reason=unregistered").text.contains("user1"))
        #expect(try fixture.get("/quarantine?reason=nothing").text.contains("No device matches"))
        #expect(try fixture.get("/quarantine?state=counting").status == 200)
        let release = [("app", "shop-ios"), ("what", "userKey"), ("value", "user1")]
        #expect(try fixture.post("/quarantine/release", release).status == 303)
        #expect(try !fixture.get("/quarantine").text.contains(">user1<"))
    }

    @Test func `all devices of an app are released only after a confirmation`() throws {
        let fixture = try OperatorFixture()
        let account = try fixture.makeStorm(3)
        _ = try fixture.post("/storms/\(Self.encoded(account))/confirm")
        let all = [("app", "shop-ios"), ("what", "all")]
        #expect(try fixture.post("/quarantine/release", all).text.contains("Release all devices of"))
        #expect(try fixture.operations.carryOut(ListQuarantine()).items.count == 3)
        #expect(try fixture.post("/quarantine/release", all + [("sure", "yes")]).status == 303)
        #expect(try fixture.operations.carryOut(ListQuarantine()).items.isEmpty)
        let none = try fixture.post("/quarantine/release", [("app", "shop-ios"), ("value", " ")])
        #expect(none.status == 422 && none.text.contains("Enter a user key or a token"))
    }

    @Test func `a form that adds a device keeps what was typed, and shows the error at its field`() throws {
        let fixture = try OperatorFixture()
        try fixture.subscribe(1)
        let wrong = [("app", "shop-ios"), ("token", "abc"), ("reason", OperatorFixture.hostile)]
        let answer = try fixture.post("/quarantine/add", wrong)
        #expect(answer.status == 422 && answer.text.contains("value=\"abc\""))
        #expect(answer.text.contains("field-token-error") && !answer.text.contains("<script>alert(1)"))
        let right = [("app", "shop-ios"), ("token", OperatorFixture.token(1)), ("reason", "a test device")]
        #expect(try fixture.post("/quarantine/add", right).status == 303)
        #expect(try fixture.get("/quarantine").text.contains("a test device"))
    }

    // MARK: Hosts, store, configuration

    @Test func `the hosts' page shows the children, and that a file has one host`() throws {
        let fixture = try OperatorFixture()
        fixture.engine.run(OperatorFixture.status())
        let text = try fixture.get("/hosts").text
        #expect(text.contains("One host uses this store") && text.contains("Children of this host"))
        #expect(text.contains("number 2 since the start") && text.contains("Working"))
        #expect(try fixture.get("/hosts/none/drain").status == 404)
        #expect(try fixture.post("/hosts/none/drain").status == 422)
    }

    @Test func `the store's page shows size, growth and retention`() throws {
        let text = try OperatorFixture().get("/store").text
        #expect(text.contains("Size") && text.contains("Growth") && text.contains("Retention"))
        #expect(text.contains("30 days after the delivery has ended"))
    }

    @Test func `the configuration shows what is set, the defaults, and findings`() throws {
        let fixture = try OperatorFixture()
        let text = try fixture.get("/configuration").text
        #expect(text.contains("Set in the file") && text.contains("Defaults") && text.contains("Valid"))
        #expect(text.contains("nmac/@retentionDays"))
        #expect(try fixture.get("/configuration?q=retentionDays").text.contains("nmac/@retentionDays"))
        #expect(try fixture.get("/configuration?q=nothing").text.contains("No setting matches"))
    }

    private static func encoded(_ name: String) -> String {
        name.replacing("#", with: "%23").replacing(" ", with: "%20").replacing("/", with: "%2F")
    }
}
