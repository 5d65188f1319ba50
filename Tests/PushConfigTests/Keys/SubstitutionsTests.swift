import PushConfig
import PushConnectors
import Testing

@Suite struct SubstitutionsTests {
    @Test func `the three substitutions stand for folder, instance and version`() throws {
        let text = document("mta", "workingPath='$(XTK_INSTALL_DIR)/$(INSTANCE_NAME)-$(PRODUCT_VERSION)/x'")
        let loaded = try ConfigurationFile.parse(
            Array(text.utf8), path: "/srv/push/serverConf.xml", schema: ConnectorCatalogue.settings,
            instanceName: "north", productVersion: "2.1")
        #expect(loaded.settings.mta.workingPath == "/srv/push/north-2.1/x")
    }

    @Test func `with a relative file path, paths in the settings are relative, with the folder added once`()
        throws
    {
        let text = document("mta", "workingPath='$(XTK_INSTALL_DIR)/a'")
        #expect(try parsed(text, path: "conf/x.xml").get().settings.mta.workingPath == "conf/a")
        #expect(try parsed(text, path: "conf/x.xml").get().settings.store.server == "conf/var/pushmta.db")
        #expect(try parsed(text, path: "x.xml").get().settings.mta.workingPath == "a")
        #expect(try parsed(text, path: "/x.xml").get().settings.store.server == "/var/pushmta.db")
    }

    @Test func `substituted text is not substituted again`() throws {
        let loaded = try parsed(document("mta", "workingPath='a'"), path: "/srv/$(HOME)/x.xml").get()
        #expect(loaded.settings.mta.workingPath == "/srv/$(HOME)/a")
    }

    @Test(arguments: ["$(HOME)", "$(", "$()", "$(instance_name)", "$($(INSTANCE_NAME))"])
    func `an unknown substitution is an error that lists the known ones`(text: String) {
        let shown = text == "$($(INSTANCE_NAME))" ? "$($(INSTANCE_NAME)" : text
        expect(
            .error,
            "mta/@workingPath: found \"\(shown)\", allowed substitutions: "
                + "$(XTK_INSTALL_DIR), $(INSTANCE_NAME), $(PRODUCT_VERSION)",
            in: document("mta", "workingPath=\"‸\(text)\""))
    }

    @Test func `a single dollar sign is literal`() throws {
        #expect(
            try parsed(document("mta", "workingPath='a$b)'")).get().settings.mta.workingPath
                == "/etc/push/a$b)")
    }
}
