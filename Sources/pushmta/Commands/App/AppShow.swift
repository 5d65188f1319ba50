internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct AppShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one application.",
        discussion: """
            A credential is shown by its identity (team and key, the certificate, project and account, or a project \
            key's fingerprint), never by its contents.
            """)

    @Argument(help: "The application's name.")
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try Instance(config).openStore()
        let app = try store.catalogue.requireApp(named: name)
        let service = try store.catalogue.service(app.service)?.name ?? ""
        let subscribers = try store.subscribers.count(of: app.id)
        guard !json.isWanted else {
            let count = JSONMember(key: "subscribers", value: .integer(subscribers))
            return try StandardOutput.json(.object(AppView.members(app, service: service) + [count]))
        }
        let count = ("subscribers", Numerals.grouped(subscribers))
        try StandardOutput.lines(FieldList(AppView.fields(app, service: service) + [count]).lines)
    }
}
