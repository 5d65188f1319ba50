import Testing

struct AppTestTests {
    @Test func `a stub has nothing to test`() async throws {
        let workplace = try await Workplace.withApp()
        let test = try await workplace.succeed("app", "test", "ios")
        #expect(test.outputLines.count == 1)
    }

    @Test func `a gateway that nobody listens for fails and says why`() async throws {
        // Port 1 of the loopback is reserved and refuses at once.
        let configuration = Workplace.configuration().replacing(
            "</serverConf>", with: #"<nmac><relay address="127.0.0.1" port="1"/></nmac></serverConf>"#)
        let workplace = try await Workplace.withApp(configuration)
        let create = try await workplace.run(
            [
                "app", "create", "neo", "--service", "neotrips", "--platform", "ios", "--integration-key",
                "key",
                "--connector", "iosHTTP2", "--bundle-id", "com.example.neotrips", "--pem",
                Workplace.fixture("certificate.pem"),
            ])
        #expect(create.status == 0, "\(create.errors)")
        let test = try await workplace.run("app", "test", "neo")
        #expect(test.status == 1)
        #expect(test.output.contains("127.0.0.1"))
    }

    @Test(arguments: ["--service-account service-account.json", "--project-key-file project-key.txt"])
    func `so do Google's hosts, for either credential`(credential: String) async throws {
        let workplace = try await Workplace.withAndroidApp(credential)
        let test = try await workplace.run("app", "test", "droid")
        #expect(test.status == 1)
        #expect(test.output.contains("127.0.0.1"), "\(test.output)")
    }
}
