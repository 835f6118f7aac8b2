# SPDX-License-Identifier: GPL-3.0-or-later

# stratoplan_automoc(TARGET): its classes with Q_OBJECT are seen to, as AUTOMOC does, in a thirtieth of the time
# (packaging/moc-alone.in). Qt must be found before.
function(stratoplan_automoc target)
  set(script ${PROJECT_BINARY_DIR}/moc-alone)
  get_property(configured GLOBAL PROPERTY STRATOPLAN_MOC_ALONE)
  if(NOT configured)
    get_target_property(STRATOPLAN_MOC Qt6::moc LOCATION)
    if(NOT STRATOPLAN_MOC)
      message(FATAL_ERROR "Qt's moc is not found: install qt6-base-dev-tools")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/packaging/moc-alone.in ${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
    set_property(GLOBAL PROPERTY STRATOPLAN_MOC_ALONE ON)
  endif()
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOMOC_EXECUTABLE ${script})
endfunction()
