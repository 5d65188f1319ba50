internal import ArgumentParser
internal import PushOperations

struct AppShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one application.",
        discussion: """
            A credential is shown by its identity (team and key, the certificate, project and account, or a project \
            key's fingerprint), never by its contents. "undeclared" lists parameters that devices registered with and \
            the application does not declare, with the number of registrations: their values are not stored.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let details = try Operations(config).carryOut(ShowApp(name: name))
        guard !json.isWanted else { return try StandardOutput.json(details) }
        var fields = details.app.fields + [("undeclared", details.undeclaredText)]
        fields.append(("subscribers", Numerals.grouped(details.subscribers)))
        let others = details.integrationKeySharedWith
        if !others.isEmpty { fields.append(("same key", others.joined(separator: ", "))) }
        try StandardOutput.lines(FieldList(fields).lines)
    }
}
