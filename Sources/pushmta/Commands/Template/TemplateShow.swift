internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushWire

struct TemplateShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a template: its versions, and what one of them says.")

    @Argument(help: "The template's name.", completion: .templateNames)
    var name: String

    @OptionGroup var owner: TemplateServiceOption

    // Not --version, which every command takes as a question for the program's own.
    @Option(
        help: ArgumentHelp(
            "This version of it.", discussion: "Default: the newest.", valueName: "number"))
    var templateVersion: Int64?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        let versions = TemplateReference.versions
        guard templateVersion.map(versions.contains) ?? true else {
            throw ValidationError("--template-version takes 1 to \(versions.upperBound).")
        }
    }

    func run() throws {
        let template = try Operations(config).carryOut(
            ShowTemplate(name: name, service: owner.service, version: templateVersion))
        guard !json.isWanted else { return try StandardOutput.json(template) }
        let fields = [
            ("name", template.name), ("service", template.service), ("version", "\(template.version)"),
            ("kept", "versions \(template.oldestVersion) to \(template.newestVersion)"),
            ("saved", template.created.utcText),
        ]
        try StandardOutput.lines(FieldList(fields).lines + [template.document.text])
    }
}
