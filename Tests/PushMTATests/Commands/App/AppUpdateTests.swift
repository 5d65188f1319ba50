import Testing

struct AppUpdateTests {
    @Test func `what is not named stays as it is`() async throws {
        let workplace = try await Workplace.withApp(
            options: ["--variable", "a=1", "--variable", "b", "--sound", "s=One"])
        try await workplace.succeed(
            "app", "update", "ios", "--variable", "b=2", "--variable", "c=x=y", "--remove-variable", "a",
            "--message-id-format", "integer")
        let show = try await workplace.succeed("app", "show", "ios")
        #expect(show.output.contains("variables        b=2, c=x=y\n"))
        #expect(show.output.contains("sounds           s=One\n"))
        #expect(show.output.contains("message ids      integer\n"))
        #expect(show.output.contains("integration key  key of ios\n"))
    }

    @Test func `a refused change changes nothing`() async throws {
        let workplace = try await Workplace.withApp(options: ["--variable", "a=1"])
        let before = try await workplace.succeed("app", "show", "ios", "--json").output
        for options in [
            ["--variable", "a=2", "--remove-variable", "z"], ["--variable", "aps=1"],
            ["--remove-sound", "z"],
            ["--variable", "a=2", "--pem", Workplace.fixture("certificate.pem")],
        ] {
            let update = try await workplace.run(["app", "update", "ios"] + options)
            #expect(update.status == 3)
            #expect(update.errorLines.count == 1)
        }
        #expect(try await workplace.succeed("app", "show", "ios", "--json").output == before)
    }

    @Test func `a credential is replaced by one that fits, and stays where none does`() async throws {
        let workplace = try await Workplace.withAndroidApp("--service-account service-account.json")
        let before = try await workplace.succeed("app", "show", "droid", "--json").output
        for (options, hint) in [
            ("--pem certificate.pem", "--service-account"),
            ("--service-account google-services.json", "google-serv"),
            ("--project-key-file service-account.json", "no project key"),
        ] {
            let update = try await workplace.run(
                ["app", "update", "droid"] + Workplace.withFixtures(options))
            #expect(update.status == 3)
            #expect(update.errorLines.count == 1)
            #expect(update.errors.contains(hint), "\(update.errors)")
        }
        #expect(try await workplace.succeed("app", "show", "droid", "--json").output == before)

        let update = try await workplace.run(
            ["app", "update", "droid"] + Workplace.withFixtures("--project-key-file project-key.txt"))
        #expect(update.output == "app droid updated\n")
        #expect(
            try await workplace.succeed("app", "show", "droid").output.contains(
                "credential       projectkey:"))
    }

    @Test func `an app that is not there is not updated`() async throws {
        let workplace = try await Workplace.withApp()
        let update = try await workplace.run("app", "update", "android", "--variable", "a")
        #expect(update.status == 3)
        #expect(update.errors == "pushmta: there is no app android; there are: ios\n")
    }
}
