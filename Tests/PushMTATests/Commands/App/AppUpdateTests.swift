import Foundation
import PushModel
import TestSupport
import Testing

struct AppUpdateTests {
    @Test(.eachEngine) func `categories and optional variables are declared, shown and removed`() async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "app", "update", "ios", "--category", "offer=Offer", "--category", "news=News", "--variable",
            "url?")
        let shown = try await workspace.succeed("app", "show", "ios").output
        #expect(shown.contains("offer=Offer, news=News\n") && shown.contains("url?\n"), "\(shown)")
        try await workspace.succeed("app", "update", "ios", "--remove-category", "news")
        let app = try #require(
            try await workspace.succeed("app", "show", "ios", "--json").json() as? [String: Any])
        let categories = try #require(app["categories"] as? [[String: String]])
        #expect(categories == [["internalName": "offer", "label": "Offer"]])
        let variable = try #require((app["variables"] as? [[String: Any]])?.first)
        #expect(variable["optional"] as? Bool == true && variable["default"] is NSNull)
        let content: [String: Any] = ["title": "x", "ios": ["category": "ofer"]]
        let submitted = try await workspace.succeed(
            "delivery", "submit", "-",
            input: try Workspace.document(["allowEmpty": true, "content": content]))
        #expect(submitted.errors.contains(#"category "ofer" is not a category that the app declares"#))
        let both = try await workspace.run("app", "update", "ios", "--variable", "a?=b")
        #expect(both.status == 3 && both.errors.contains("variable a is optional and has a default"))
        let absent = try await workspace.run("app", "update", "ios", "--remove-category", "news")
        #expect(absent.status == 3 && absent.errors.contains("no category news to remove"))
    }

    @Test func `attributes that are not named stay unchanged`() async throws {
        let workspace = try await Workspace.withApp(
            options: ["--variable", "a=1", "--variable", "b", "--sound", "s=One"])
        try await workspace.succeed(
            "app", "update", "ios", "--variable", "b=2", "--variable", "c=x=y", "--remove-variable", "a",
            "--message-id-format", "integer")
        let show = try await workspace.succeed("app", "show", "ios")
        #expect(show.output.contains("variables        b=2, c=x=y\n"))
        #expect(show.output.contains("sounds           s=One\n"))
        #expect(show.output.contains("message ids      integer\n"))
        #expect(show.output.contains("integration key  key of ios\n"))
    }

    @Test func `an update sets and removes a label and an icon`() async throws {
        let workspace = try await Workspace.withApp()
        let icon = workspace.folder.appending(path: "icon.png")
        try Data(AppIcon.examplePNG(width: 96, height: 96)).write(to: icon)
        try await workspace.succeed("app", "update", "ios", "--label", "The app", "--icon", icon.path)
        let show = try await workspace.succeed("app", "show", "ios").output
        #expect(show.contains("label            The app\n") && show.contains("96 by 96 pixels, 45 bytes\n"))
        #expect(try await workspace.succeed("app", "list").outputLines[1].hasSuffix("The app"))
        try Data("GIF89a".utf8).write(to: icon)
        let refused = try await workspace.run("app", "update", "ios", "--icon", icon.path)
        #expect(refused.status == 3 && refused.errors.contains("the icon is not a PNG"), "\(refused.errors)")
        try await workspace.succeed("app", "update", "ios", "--label", "", "--remove-icon")
        #expect(try await !workspace.succeed("app", "show", "ios").output.contains("pixels"))
        let both = try await workspace.run("app", "update", "ios", "--icon", "x", "--remove-icon")
        #expect(both.status == 2)
    }

    @Test func `a refused update changes nothing`() async throws {
        let workspace = try await Workspace.withApp(options: ["--variable", "a=1"])
        let before = try await workspace.succeed("app", "show", "ios", "--json").output
        for options in [
            ["--variable", "a=2", "--remove-variable", "z"], ["--variable", "aps=1"],
            ["--remove-sound", "z"],
            ["--variable", "a=2", "--pem", Workspace.fixture("certificate.pem")],
        ] {
            let update = try await workspace.run(["app", "update", "ios"] + options)
            #expect(update.status == 3)
            #expect(update.errorLines.count == 1)
        }
        #expect(try await workspace.succeed("app", "show", "ios", "--json").output == before)
    }

    @Test func `a matching credential replaces the old one, and a mismatched credential is refused`()
        async throws
    {
        let workspace = try await Workspace.withAndroidApp("--service-account service-account.json")
        let before = try await workspace.succeed("app", "show", "droid", "--json").output
        for (options, hint) in [
            ("--pem certificate.pem", "--service-account"),
            ("--service-account google-services.json", "google-serv"),
            ("--project-key-file service-account.json", "the file is JSON"),
        ] {
            let update = try await workspace.run(
                ["app", "update", "droid"] + Workspace.withFixtures(options))
            #expect(update.status == 3)
            #expect(update.errorLines.count == 1)
            #expect(update.errors.contains(hint), "\(update.errors)")
        }
        #expect(try await workspace.succeed("app", "show", "droid", "--json").output == before)

        let update = try await workspace.run(
            ["app", "update", "droid"] + Workspace.withFixtures("--project-key-file project-key.txt"))
        #expect(update.output == "app droid updated\n")
        #expect(
            try await workspace.succeed("app", "show", "droid").output.contains(
                "credential       projectkey:"))
    }

    @Test func `the connector is switched together with a credential that matches it`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let subscribers = try await workspace.succeed("subscribers", "export", "--app", "ios").output
        let lacking = try await workspace.run("app", "update", "ios", "--connector", "iosHTTP2")
        #expect(lacking.status == 3 && lacking.errorLines.count == 1)
        #expect(
            lacking.errors.contains("needs a credential: give it in the same command, --p8 with --key-id"))
        let http = ["--connector", "iosHTTP2", "--bundle-id", "com.example.neotrips"]
        let key = Workspace.withFixtures("--p8 authkey.p8 --key-id ABC1234567 --team-id DEF1234567")
        let update = try await workspace.run(["app", "update", "ios"] + http + key)
        #expect(update.output == "app ios updated\n", "\(update.errors)")
        let shown = try await workspace.succeed("app", "show", "ios").output
        #expect(
            shown.contains("connector        iosHTTP2\n") && shown.contains("token:DEF1234567:ABC1234567\n"))
        let other = try await workspace.run("app", "update", "ios", "--connector", "ios")
        #expect(other.status == 3 && other.errors.contains("another credential"), "\(other.errors)")
        try await workspace.succeed("app", "update", "ios", "--connector", "stub")
        #expect(try await workspace.succeed("subscribers", "export", "--app", "ios").output == subscribers)
    }

    @Test func `updating an unknown app is refused`() async throws {
        let workspace = try await Workspace.withApp()
        let update = try await workspace.run("app", "update", "android", "--variable", "a")
        #expect(update.status == 3)
        #expect(update.errors == "pushmta: there is no app android; existing apps: ios\n")
    }
}
