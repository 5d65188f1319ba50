internal import ArgumentParser
internal import PushOperations
internal import PushWire

struct TemplateSave: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Save a content under a name, as its next version.",
        discussion: """
            The file has 'content' as a delivery document has it, and what else of one a template is to say: \
            'schedule' (without 'start'), 'retry', 'tracking'. What the newest version says already makes no other one. \
            The newest 100 versions are kept. A content that no application of the service could be sent ends with \
            status 3.
            """)

    @Argument(help: "The template's name.", completion: .templateNames)
    var name: ObjectName

    @Argument(help: "The template, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var owner: TemplateServiceOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        // A little more than a template may have: its own check then says how much that is.
        let bytes = try FileReader.contents(of: file, atMost: 16 * TemplateDocument.maximumBytes)
        let saved = try operations.carryOut(
            SaveTemplate(
                name: name.text, service: owner.service, document: bytes,
                documentName: file == "-" ? "standard input" : file))
        let text =
            saved.changed
            ? "template \(saved.name) saved: version \(saved.version)"
            : "template \(saved.name) says this already: version \(saved.version)"
        try StandardOutput.answer(saved, json, text)
        StandardError.warn(of: saved.warnings)
    }
}
