package dev.walmerge.sidecar;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The directions that a module boundary does not already enforce. */
@AnalyzeClasses(packages = "dev.walmerge", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule DECODER_AND_ENGINE_MEET_IN_THE_PIPELINE = noClasses()
            .that()
            .resideInAPackage("dev.walmerge.sidecar.replication..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.walmerge.engine..")
                    .and(resideOutsideOfPackage("dev.walmerge.engine.failpoint..")))
            .because("the pipeline adapts one to the other, and the composition root wires them");

    @ArchTest
    static final ArchRule CHRONICLE_STAYS_IN_THE_JOURNAL = noClasses()
            .that()
            .resideOutsideOfPackage("dev.walmerge.engine.journal..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.openhft..")
            .because("the journal is a cache that may change its storage");

    @ArchTest
    static final ArchRule THE_CORE_NEEDS_NOTHING = classes()
            .that()
            .resideInAPackage("dev.walmerge.crdt..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.walmerge.crdt..", "java.lang..", "java.util..", "java.nio..", "java.io..", "java.math..")
            .because("the core knows no LSN, SQL, file, thread or clock");

    @ArchTest
    static final ArchRule SHARDS_KNOW_NO_SQL = noClasses()
            .that()
            .resideInAPackage("dev.walmerge.engine.shard..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.postgresql..")
            .because("JDBC of documents is in the write-back only");

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching("dev.walmerge.(*.*)..").should().beFreeOfCycles().because("data flows one way");

    @ArchTest
    static final ArchRule NO_CATCH_ALL = noClasses()
            .should()
            .resideInAnyPackage("..util..", "..common..", "..helper..", "..misc..")
            .orShould()
            .haveSimpleNameEndingWith("Impl")
            .orShould()
            .haveSimpleNameEndingWith("Manager")
            .orShould()
            .haveSimpleNameStartingWith("Abstract")
            .because("a name says what a thing is");
}
