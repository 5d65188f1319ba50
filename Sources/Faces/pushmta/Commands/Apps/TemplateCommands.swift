internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Manage templates: named documents for deliveries and messages.",
        discussion: """
            A template belongs to a service, or to none: then the deliveries of all services can use it, \
            except those of a service with its own template of this name. A new store has the templates iOS \
            and Android, which belong to no service. A template has versions. 'delivery submit --template' \
            and 'send --template' use the newest version, and the values in the document or in the options \
            override the template. A submitted delivery or message keeps its own content.
            """,
        subcommands: [
            TemplateSave.self, command(ListTemplates.self), command(ShowTemplate.self),
            command(DeleteTemplate.self),
        ])
}

/// The service that the template belongs to.
struct TemplateServiceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The template's service. (default: the deliveries of all services can use the template)",
            valueName: "name"),
        completion: .serviceNames)
    var service: String?
}

/// `--template`, which accompanies a document.
struct TemplateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the newest version of this template.",
            discussion: "Values in the document override the template's values. The document must not name "
                + "another template.",
            valueName: "name"),
        completion: .templateNames)
    var template: String?
}

struct TemplateSave: PerformingCommand {
    static var useCases: [any UseCase.Type] { [SaveTemplate.self] }

    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Save a document as the next version of a template.",
        discussion: """
            The file contains 'content', as in a delivery document, and may contain 'service', 'apps', \
            'environments', 'target', 'schedule' (without 'startAt'), 'retry' and 'tracking'. If it is \
            identical to the newest version, no new version is created. The newest 100 versions are kept. \
            The status is 3 if no application of the service could send the content. Without --service, the \
            deliveries of all services can use the template.

            Example: pushmta template save sale sale.json --service shop
            """)

    @Argument(help: "The template's name.", completion: .templateNames)
    var name: ObjectName

    @Argument(help: "The template as JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var owner: TemplateServiceOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        // Read more bytes than a template may contain, so that the template's own check can report the
        // maximum.
        let bytes = try FileReader.contents(of: file, atMost: 16 * TemplateDocument.maximumBytes)
        let saved = try operations.carryOut(
            SaveTemplate(
                name: name.text, service: owner.service, document: bytes,
                documentName: file == "-" ? "standard input" : file))
        let text =
            saved.changed
            ? "template \(saved.name) saved: version \(saved.version)"
            : "template \(saved.name) is unchanged: version \(saved.version)"
        try StandardOutput.answer(saved, json, text)
        StandardError.warn(of: saved.warnings)
    }
}

extension ListTemplates: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta template list --service shop")
    static func lines(_ templates: [TemplateSummaryView]) -> [String] {
        var table = TextTable(
            ["SERVICE", "NAME", "VERSION", "KEPT", "SAVED"], numeric: ["VERSION", "KEPT"])
        for template in templates {
            table.append([
                template.service ?? "-", template.name, "\(template.version)", "\(template.versions)",
                template.createdAt.utcText,
            ])
        }
        return table.lines
    }
}

extension ShowTemplate: CommandUseCase {
    // The option is not --version, because every command interprets that as a request for the program's own
    // version.
    static let form = CommandForm(
        discussion: "Example: pushmta template show sale --service shop --template-version 3",
        options: ["version": "template-version"])
    static func lines(_ template: TemplateView) -> [String] {
        let fields = [
            ("name", template.name), ("service", template.service ?? ""), ("version", "\(template.version)"),
            ("kept", "versions \(template.oldestVersion) to \(template.newestVersion)"),
            ("saved", template.createdAt.utcText),
        ]
        return FieldList(fields).lines + [template.document.value.text]
    }
}

extension DeleteTemplate: Confirmed {
    static let form = CommandForm(
        discussion: """
            A template that is saved later under the same name begins with version 1.

            Example: pushmta template delete sale --service shop
            """)

    func confirm(in operations: Operations) throws {
        let present = try operations.carryOut(ShowTemplate(name: name, service: service))
        let versions = Numerals.count(Int(present.newestVersion - present.oldestVersion) + 1, "version")
        try Confirmation.ask(
            "delete template \(present.name) with \(versions)?",
            elsewhere:
                "deleting template \(present.name) also deletes its \(versions); add --yes to delete it",
            refusal: "nothing was deleted")
    }

    static func lines(_ deleted: Answer) -> [String] {
        ["template \(deleted.name) deleted with \(Numerals.count(deleted.versions, "version"))"]
    }
}
