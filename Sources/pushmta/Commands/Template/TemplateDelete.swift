internal import ArgumentParser
internal import PushOperations

struct TemplateDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a template with all of its versions.",
        discussion: """
            Asks on a terminal and wants --yes elsewhere. What was submitted keeps its own content. A template that is \
            saved under the name later begins with version 1.
            """)

    @Argument(help: "The template's name.", completion: .templateNames)
    var name: String

    @OptionGroup var owner: TemplateServiceOption

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        if !yes {
            let present = try operations.carryOut(ShowTemplate(name: name, service: owner.service))
            let versions = Numerals.count(Int(present.newestVersion - present.oldestVersion) + 1, "version")
            try Confirmation.ask(
                "delete template \(present.name) with \(versions)?",
                elsewhere:
                    "template \(present.name) has \(versions), which go with it; add --yes to delete it",
                refusal: "nothing was deleted")
        }
        let deleted = try operations.carryOut(
            DeleteTemplate(name: name, service: owner.service))
        try StandardOutput.answer(
            deleted, json,
            "template \(deleted.name) deleted with \(Numerals.count(deleted.versions, "version"))")
    }
}
